// Buckets as places for objects: s3rver, and a small store that checks signatures and fails as it is asked to.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { KEYS, placeProgram, refuse, runPlace, startMetadataService, startS3rver, startSmallStore } from "./support/s3.mjs";
import { temporaryFolder } from "./support/server.mjs";

const folder = temporaryFolder("places");
const file = (name, bytes) => (writeFileSync(join(folder, name), bytes), join(folder, name));
let s3rver;

before(async () => {
  mkdirSync(join(folder, "s3rver"));
  s3rver = await startS3rver(join(folder, "s3rver"), "nightly");
});
after(async () => {
  await s3rver.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (variables, ...args) => runPlace({ HOME: join(folder, "nobody"), ...variables }, ...args);

async function works(variables, ...args) {
  const done = await run(variables, ...args);
  assert.equal(done.status, 0, `${done.signal ?? ""} ${done.stderr}`);
  return done.stdout;
}

/** The error of an operation, `name: message`. */
async function fails(variables, ...args) {
  const done = await run(variables, ...args);
  assert.equal(done.status, 1, `${args} did not fail`);
  for (const secret of [KEYS.AWS_SECRET_ACCESS_KEY, variables.AWS_SESSION_TOKEN]) {
    if (secret) assert.ok(!done.stderr.includes(secret.slice(0, 24)), `a message holds a secret: ${done.stderr}`);
  }
  return done.stderr.trim();
}

const addressOf = (store, prefix = "", more = "") => `s3://bucket${prefix}?endpoint=${store.endpoint}${more}`;

async function withStore(options, work) {
  const store = await startSmallStore(options);
  try {
    await work(store, addressOf(store));
  } finally {
    await store.stop();
  }
}

// A trace's pack: bytes of all kinds, more than a piece that is sent at once.
const bytes = Buffer.concat([Buffer.from("pack\0\r\n\xff", "latin1"), Buffer.alloc(3 << 20, "0123456789abcdef")]);
const KEY = "traces/0f/0f3c9a.v36";

test("s3rver gives back what was put, lists it and removes it", async () => {
  const place = `s3://nightly/team/a?endpoint=${s3rver.endpoint}`;
  const pack = file("pack", bytes);
  await works(KEYS, place, "put", KEY, pack);
  await works(KEYS, place, "put", KEY, pack);
  await works(KEYS, place, "put", "traces/10/small", file("small", "x"));
  await works(KEYS, place, "put", "texts/empty", file("empty", ""));
  await works(KEYS, place, "fetch", KEY, join(folder, "back"), "10000000");
  assert.deepEqual(readFileSync(join(folder, "back")), bytes);
  await works(KEYS, place, "fetch", "texts/empty", join(folder, "back"), "10000000");
  assert.equal(readFileSync(join(folder, "back")).length, 0);
  const [found, size, modified] = (await works(KEYS, place, "find", KEY)).trim().split(" ");
  assert.deepEqual([found, Number(size)], [KEY, bytes.length]);
  assert.ok(Math.abs(Number(modified) - Date.now() / 1000) < 60);
  assert.equal(await works(KEYS, place, "find", "traces/0f/0f3c9a"), "", "a key is not its beginning");
  const listed = (await works(KEYS, place, "list", "traces/")).trim().split("\n").map((line) => line.split(" "));
  assert.deepEqual(listed.map(([key, size]) => [key, Number(size)]), [[KEY, bytes.length], ["traces/10/small", 1]]);
  assert.ok(Math.abs(Number(listed[0][2]) - Date.now() / 1000) < 60);
  await works(KEYS, place, "remove", KEY);
  await works(KEYS, place, "remove", KEY);
  assert.match(await fails(KEYS, place, "fetch", KEY, join(folder, "back"), "10000000"), /^not-found: cannot fetch traces\/0f\/0f3c9a\.v36 in s3:\/\/nightly\/team\/a.*no such object \(404 NoSuchKey\)/);
  assert.ok(!existsSync(join(folder, "back")), "what was there before could be taken for the object");
});

test("s3rver: wrong credentials and a bucket that is not there", async () => {
  const place = `s3://nightly?endpoint=${s3rver.endpoint}`;
  assert.match(
    await fails({ ...KEYS, AWS_ACCESS_KEY_ID: "NOBODY" }, place, "put", KEY, file("pack", bytes)),
    /^place-refused: .*the access key NOBODY \(AWS_ACCESS_KEY_ID in the environment\) is not known there/,
  );
  for (const words of [["put", KEY, file("small", "x")], ["fetch", KEY, join(folder, "back"), "9"], ["find", KEY], ["list", ""]]) {
    assert.match(await fails(KEYS, `s3://elsewhere?endpoint=${s3rver.endpoint}`, ...words), /^place-refused: .*no such bucket; make it, or correct the address/);
  }
});

test("a bucket is marked as one store's, and is no place of another one", async () => {
  const [one, other] = ["0123456789abcdef".repeat(2), "f".repeat(32)];
  const pack = file("marked", "x");
  await withStore({}, async (store, place) => {
    const mark = (id) => `.benchhud-place/${id}`;
    const puts = () => store.requests.filter(({ method }) => method === "PUT").length;
    // Whoever marks it at the same time as another one, and sees that, has it not.
    store.faults = [(request, response, answer) => (request.method === "PUT" && store.objects.set(mark(other), Buffer.alloc(0)), answer())];
    const conflict = new RegExp(`^conflict: .*has the objects of another store.*remove the object \\.benchhud-place/${other} there first`);
    assert.match(await fails(KEYS, place, "mark", one), conflict);
    assert.deepEqual([...store.objects.keys()], [mark(other)]);
    store.faults = [];
    assert.match(await fails(KEYS, place, "mark", one), conflict);
    assert.deepEqual([...store.objects.keys()], [mark(other)]);
    store.objects.clear();
    const before = puts();
    await works(KEYS, place, "mark", one);
    await works(KEYS, place, "mark", one);
    assert.deepEqual([[...store.objects.keys()], puts() - before], [[mark(one)], 1]);
    const ours = { ...KEYS, PLACE_ID: one }, theirs = { ...KEYS, PLACE_ID: other };
    await works(ours, place, "put", KEY, pack);
    assert.match(await works(ours, place, "list", ""), /^traces\/0f\/0f3c9a\.v36 1 [\d.]+\n$/, "a mark is no object");
    // What is there can be read, for its bytes tell whether it is the right one.
    await works(theirs, place, "fetch", KEY, join(folder, "back"), "9");
    for (const words of [["put", KEY, pack], ["remove", KEY], ["list", ""], ["find", "traces/no"], ["fetch", "traces/no", join(folder, "back"), "9"]]) {
      assert.match(await fails(theirs, place, ...words), new RegExp(`^place-refused: .*is not the place that was set: the object \\.benchhud-place/${other} is missing`), words[0]);
    }
    // Two that did not see each other, because the store's lists lagged behind.
    store.objects.set(mark(other), Buffer.alloc(0));
    for (const variables of [ours, theirs]) {
      for (const words of [["put", KEY, pack], ["remove", KEY], ["list", ""]]) {
        assert.match(await fails(variables, place, ...words), /^place-refused: .*is marked as the place of two stores/, words[0]);
      }
    }
    store.objects.delete(mark(other));
    await works(ours, place, "remove", KEY);
    assert.deepEqual([...store.objects.keys()], [mark(one)]);
  });
});

test("wrong bytes in the bucket are found 100 of 100 times", async () => {
  const small = bytes.subarray(0, 100_000);
  const place = `s3://nightly?endpoint=${s3rver.endpoint}`;
  const hash = spawnSync(placeProgram, ["hash", file("right", small)], { encoding: "utf8" }).stdout.trim();
  const variables = { ...KEYS, BENCHHUD_CACHE: join(folder, "cache") };
  for (let i = 0; i < 100; ++i) {
    const wrong = Buffer.from(small);
    const at = Math.floor((i * small.length) / 100);
    if (i % 2 === 0) wrong[at] ^= 1 << (i % 8);
    await works(KEYS, place, "put", KEY, file("wrong", i % 2 === 0 ? wrong : wrong.subarray(0, at)));
    assert.match(await fails(variables, place, "cached", KEY, hash, String(small.length)), /^corrupt: traces\/0f\/0f3c9a\.v36 in s3:\/\/nightly.* is damaged/);
  }
  await works(KEYS, place, "put", KEY, file("right", small));
  const path = (await works(variables, place, "cached", KEY, hash, String(small.length))).trim();
  assert.deepEqual(readFileSync(path), small);
  assert.deepEqual(readdirSync(join(folder, "cache")), [`${hash}.object`]);
});

test("every request is signed, in both styles, with and without a session", async () => {
  const pack = file("pack", bytes);
  const session = { ...KEYS, AWS_SESSION_TOKEN: "a/session+token==" };
  for (const [options, prefix, more, keys] of [
    [{}, "", "", KEYS],
    [{ region: "eu-north-1" }, "/team/a", "&region=eu-north-1", KEYS],
    [{ token: session.AWS_SESSION_TOKEN }, "/team", "", session],
  ]) {
    await withStore(options, async (store) => {
      store.keysPerPage = 2;
      const place = addressOf(store, prefix, more);
      for (const key of ["a", "b", "c", "traces/x_y-z.v36", KEY]) await works(keys, place, "put", key, pack);
      await works(keys, place, "fetch", KEY, join(folder, "back"), "10000000");
      assert.deepEqual(readFileSync(join(folder, "back")), bytes);
      assert.equal((await works(keys, place, "list", "")).trim().split("\n").length, 5, "three pages");
      assert.match(await works(keys, place, "find", "b"), new RegExp(`^b ${bytes.length} `));
      await works(keys, place, "remove", "b");
      assert.equal(store.objects.size, 4);
      if (prefix) assert.ok([...store.objects.keys()].every((key) => key.startsWith(prefix.slice(1) + "/")));
    });
  }
});

test("requests of the virtual-host style name the bucket in the host", async () => {
  await withStore({ pathStyle: false }, async (store) => {
    const place = `s3://bucket?endpoint=http://localhost:${store.port}&path_style=false`;
    await works(KEYS, place, "put", KEY, file("pack", bytes));
    assert.equal((await works(KEYS, place, "find", KEY)).split(" ")[1], String(bytes.length));
    assert.equal(store.requests[0].headers.host, `bucket.localhost:${store.port}`);
    assert.equal(store.requests[0].path, `/${KEY}`);
  });
});

/** Answers that end before they are whole, with the first `count` bytes of the object. */
const cutBehind = (count) => (request, response) => {
  response.writeHead(200, { "content-length": bytes.length });
  response.write(bytes.subarray(0, count), () => response.destroy());
};
const status = (number, code, headers) => (request, response) => refuse(response, number, code, "", headers);

test("what passes is tried again, and the object is whole then", async () => {
  await withStore({}, async (store, place) => {
    store.objects.set(KEY, bytes);
    const passing = [
      status(500, "InternalError"), status(502, ""), status(503, "SlowDown"), status(503, "ServiceUnavailable"), status(504, ""), status(429, "TooManyRequests"),
      status(400, "RequestTimeout"), status(408, ""), status(400, "BadDigest"), status(400, "IncompleteBody"), status(400, "XAmzContentSHA256Mismatch"), cutBehind(0), cutBehind(1), cutBehind(1 << 20), (request, response) => response.destroy(),
    ];
    for (const fault of passing) {
      store.faults = [fault, fault, null];
      store.requests.length = 0;
      await works(KEYS, place, "fetch", KEY, join(folder, "back"), String(bytes.length));
      assert.deepEqual(readFileSync(join(folder, "back")), bytes);
      assert.equal(store.requests.length, 3);
    }
    for (const fault of passing) {
      store.objects.clear();
      store.faults = [fault, null];
      await works(KEYS, place, "put", KEY, file("pack", bytes));
      assert.deepEqual(store.objects.get(KEY), bytes);
    }
  });
});

test("a place that goes on failing is tried a bounded number of times", async () => {
  await withStore({}, async (store, place) => {
    for (const [fault, words] of [[status(503, "SlowDown"), /fails for the moment \(503 SlowDown\)/], [status(500, "InternalError"), /500 InternalError/], [cutBehind(10), /bytes remaining to read/]]) {
      store.faults = [fault];
      store.requests.length = 0;
      const error = await fails({ ...KEYS, PLACE_TRIES: "4" }, place, "fetch", KEY, join(folder, "back"), "10000000");
      assert.match(error, /^unavailable: .*it was tried 4 times, try again later$/);
      assert.match(error, words);
      assert.equal(store.requests.length, 4);
      assert.ok(!existsSync(join(folder, "back")), "nothing half is left");
    }
    store.faults = [status(503, "SlowDown", { "retry-after": "1" })];
    const done = await run({ ...KEYS, PLACE_TRIES: "3" }, place, "find", KEY);
    assert.ok(done.seconds > 2 && done.seconds < 6, "it waits as long as it is told to");
  });
});

test("a server that asks for an absurd pause is not asked again at once", async () => {
  await withStore({}, async (store, place) => {
    for (const seconds of ["9223372036854775807", "9223372036854776"]) {
      store.faults = [status(503, "SlowDown", { "retry-after": seconds })];
      store.requests.length = 0;
      await run({ ...KEYS, PLACE_TRIES: "3", PLACE_GIVES_UP_MS: "700" }, place, "find", KEY);
      assert.equal(store.requests.length, 1, seconds);
    }
  });
});

test("keys are sent to no other host, and begin no other header", async (t) => {
  const token = { AWS_CONTAINER_AUTHORIZATION_TOKEN: "of the pod" };
  const evil = await startMetadataService({});
  t.after(() => evil.stop());
  const host = evil.endpoint.slice("http://".length);
  const gone = "s3://bucket?endpoint=http://127.0.0.1:1";
  for (const [variables, words] of [
    [{ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: `@${host}/` }, /RELATIVE_URI does not begin with a slash/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://user@${host}/` }, /neither https nor of this machine, or holds a password/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://169.254.170.2@${host}/` }, /neither https nor of this machine/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://localhost.evil.invalid/" }, /neither https nor of this machine/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://[fd00:ec2::24]/" }, /neither https nor of this machine/],
    [{ AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://user@${host}` }, /SERVICE_ENDPOINT is no URL, or holds a password/],
    [{ ...KEYS, AWS_SESSION_TOKEN: "a\r\nx-amz-acl: public-read" }, /the key or token of AWS_ACCESS_KEY_ID in the environment has several lines/],
    [{ ...KEYS, AWS_ACCESS_KEY_ID: "a\nb" }, /has several lines/],
  ]) {
    assert.match(await fails({ PLACE_TRIES: "1", ...token, ...variables }, gone, "find", KEY), words);
  }
  assert.equal(evil.requests.length, 0);
  const eks = { ...token, PLACE_TRIES: "1", AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://[fd00:ec2::23]/v1/credentials" };
  assert.match(await fails(eks, gone, "find", KEY), /^unavailable: /, "it is asked");
});

test("nobody is there: connections refused, hosts that do not exist", async () => {
  const gone = await startSmallStore();
  await gone.stop();
  assert.match(await fails({ ...KEYS, PLACE_TRIES: "2" }, addressOf(gone), "find", KEY), /^unavailable: cannot look for .*connect.*tried 2 times/i);
  assert.match(await fails({ ...KEYS, PLACE_TRIES: "2" }, "s3://bucket?endpoint=http://nobody.invalid", "find", KEY), /^unavailable: .*resolve.*tried 2 times/i);
});

test("answers that stall are given up, and slow ones that go on are not", async () => {
  await withStore({}, async (store, place) => {
    store.objects.set(KEY, bytes);
    const limits = { ...KEYS, PLACE_TRIES: "2", PLACE_STALL_S: "2" };
    store.faults = [(request, response) => response.writeHead(200, { "content-length": bytes.length }).write(bytes.subarray(0, 1000))];
    let done = await run(limits, place, "fetch", KEY, join(folder, "back"), "10000000");
    assert.match(done.stderr, /^unavailable: .*too slow.*tried 2 times/i);
    assert.ok(done.seconds < 20, `${done.seconds} s`);
    store.faults = [() => {}];
    done = await run(limits, place, "find", KEY);
    assert.match(done.stderr, /^unavailable: .*too slow/i);
    assert.ok(done.seconds < 20, `${done.seconds} s`);
    store.faults = [(request, response) => {
      let sent = 0;
      response.writeHead(200, { "content-length": bytes.length });
      const timer = setInterval(() => {
        response.write(bytes.subarray(sent, (sent += bytes.length >> 4)));
        if (sent >= bytes.length) clearInterval(timer), response.end();
      }, 200);
    }];
    await works(limits, place, "fetch", KEY, join(folder, "back"), "10000000");
    assert.deepEqual(readFileSync(join(folder, "back")), bytes);
  });
});

test("an answer that never ends is given up, however fast it comes", async () => {
  await withStore({}, async (store, place) => {
    for (const number of [200, 403]) {
      store.faults = [(request, response) => {
        response.writeHead(number, { "content-type": "application/xml" });
        const timer = setInterval(() => response.write("<!-- patience -->".repeat(100)), 100);
        response.on("close", () => clearInterval(timer));
      }];
      const limits = { ...KEYS, PLACE_TRIES: "1", PLACE_ANSWER_S: "3" };
      for (const words of [["list", ""], ...(number === 403 ? [["fetch", KEY, join(folder, "back"), "100000"], ["put", KEY, file("pack", bytes)]] : [])]) {
        const done = await run(limits, place, ...words);
        assert.match(done.stderr, /^unavailable: .*(too slow|timed out after 3)/i);
        assert.ok(done.seconds < 10, `${done.seconds} s`);
      }
    }
  });
});

test("a store may take its time for an object that it has got, but not for ever", async () => {
  await withStore({}, async (store, place) => {
    const limits = { ...KEYS, PLACE_TRIES: "1", PLACE_STALL_S: "1" };
    store.faults = [(request, response, right) => setTimeout(right, 4000)];
    await works(limits, place, "put", KEY, file("pack", bytes));
    assert.deepEqual(store.objects.get(KEY), bytes);
    const done = await run({ ...limits, PLACE_STORE_S: "2" }, place, "put", KEY, file("pack", bytes));
    assert.match(done.stderr, /^unavailable: .*the answer is too slow: there was none 2 s after all was sent/);
  });
});

test("whoever asks can give up, while it is sent and while it waits for another try", async () => {
  await withStore({}, async (store, place) => {
    for (const [fault, variables] of [[() => {}, {}], [status(503, "SlowDown"), { PLACE_PAUSE_MS: "9000" }]]) {
      store.faults = [fault];
      const done = await run({ ...KEYS, ...variables, PLACE_GIVES_UP_MS: "500" }, place, "find", KEY);
      assert.match(done.stderr, /^unavailable: /);
      assert.ok(done.seconds < 5, `${done.seconds} s`);
    }
  });
});

test("what somebody has to change is said at once, with what to do", async () => {
  await withStore({}, async (store, place) => {
    const day = 24 * 60 * 60 * 1000;
    const redirect = (request, response) => refuse(response, 301, "PermanentRedirect", "<Endpoint>bucket.s3.eu-west-1.amazonaws.com</Endpoint>", { "x-amz-bucket-region": "eu-west-1" });
    const cases = [
      [status(403, "AccessDenied"), /^place-refused: .*S3RVER \(AWS_ACCESS_KEY_ID in the environment\) lacks permission: it needs s3:GetObject on the bucket \(403 AccessDenied\)/],
      [status(403, "SignatureDoesNotMatch"), /^place-refused: .*the secret of the access key S3RVER .* is wrong, or the key is not known there/],
      [status(400, "ExpiredToken"), /^place-refused: .*has expired; get new credentials/],
      [status(403, "RequestTimeTooSkewed", { date: new Date(Date.now() + day).toUTCString() }), /^place-refused: .*clock is 86[34]\d\d s behind that of the place; set it by NTP/],
      [status(403, "RequestTimeTooSkewed", { date: new Date(Date.now() - day).toUTCString() }), /clock is 86[34]\d\d s ahead of that of the place/],
      [redirect, /^place-refused: .*the bucket is in the region eu-west-1, not in us-east-1; put region=eu-west-1 into the address/],
      [status(404, "NoSuchBucket"), /^place-refused: .*no such bucket/],
      [status(404, "NoSuchKey"), /^not-found: /],
      [status(403, "QuotaExceeded"), /^full: .*raise its quota/],
      [status(507, "XMinioStorageFull"), /^full: .*no space left/],
      [status(418, "Teapot"), /^place-refused: .*about Teapot \(418 Teapot\)/],
      [(request, response) => response.writeHead(404, { "content-type": "text/html" }).end("<html>nginx</html>"), /^place-refused: .*not what an S3 store says \(text\/html\); check the endpoint \(status 404\)/],
      [(request, response) => response.writeHead(204).end(), /^place-refused: .*not what an S3 store says \(no content\); check the endpoint \(status 204\)/],
      [(request, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), /^place-refused: .*status 302/],
    ];
    for (const [fault, expected] of cases) {
      store.faults = [fault];
      store.requests.length = 0;
      assert.match(await fails(KEYS, place, "fetch", KEY, join(folder, "back"), "10000000"), expected);
      assert.equal(store.requests.length, 1, "it is not tried again");
    }
  });
  await withStore({ region: "eu-central-1" }, async (store, place) => {
    assert.match(await fails(KEYS, place, "find", KEY), /in the region eu-central-1, not in us-east-1/);
    await works({ ...KEYS, AWS_REGION: "eu-central-1" }, place, "find", KEY);
  });
});

test("an upload that is refused before it is sent whole says why", async () => {
  await withStore({}, async (store, place) => {
    const early = (request, response) => {
      refuse(response, 403, "AccessDenied", "", { connection: "close" });
    };
    store.faults = [Object.assign(early, { isBeforeBody: true })];
    assert.match(await fails(KEYS, place, "put", KEY, file("large", Buffer.alloc(64 << 20, "x"))), /^place-refused: .*s3:PutObject/);
    assert.equal(store.objects.size, 0);
  });
});

test("a file that has fewer bytes than it had is not put", async (t) => {
  const short = "/sys/devices/system/cpu/online"; // the kernel says that it has a page
  if (!existsSync(short)) return t.skip(`there is no ${short}`);
  await withStore({}, async (store, place) => {
    assert.match(await fails(KEYS, place, "put", KEY, short), /^io: .*was written while it was read/);
    assert.equal(store.objects.size, 0);
    assert.ok(store.requests.length <= 1, "the place is not asked again");
  });
});

test("answers of a hostile store", async () => {
  await withStore({}, async (store, place) => {
    const answered = (text) => (request, response) => response.writeHead(200).end(text);
    const list = (inner, goesOn = "false") => `<ListBucketResult><IsTruncated>${goesOn}</IsTruncated>${inner}</ListBucketResult>`;
    const laughs = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><ListBucketResult>&b;</ListBucketResult>`;
    for (const text of [
      "", "no XML", "<html></html>", "<ListBucketResult>", laughs, "<a>".repeat(2_000_000), list("<Contents><Key>a</Key></Contents>"), "<?xml version='1.0' encoding='UTF-32'?>",
      list("<Contents><Key>a</Key><Size>-1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"),
      list("<Contents><Key>a</Key><Size>1</Size><LastModified>soon</LastModified></Contents>"),
      list("", "true"), list("", ""), list("", "perhaps"), "<ListBucketResult></ListBucketResult>", "<ListBucketResult><NextContinuationToken>a</NextContinuationToken></ListBucketResult>",
      "\0".repeat(100), Buffer.from([0xff, 0xfe, 0x00]),
    ]) {
      store.faults = [answered(text)];
      assert.match(await fails(KEYS, place, "list", ""), /^place-refused: cannot list objects in .*not what an S3 store says/, String(text).slice(0, 100));
    }
    const odd = (key) => `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`;
    let page = 0;
    const onward = (inner) => (request, response) => answered(list(`${inner}<NextContinuationToken>${++page}</NextContinuationToken>`, "true"))(request, response);
    for (const operation of ["list", "find"]) {
      store.faults = [onward("")];
      store.requests.length = 0;
      assert.match(await fails(KEYS, place, operation, "a"), /the list has 1000 empty pages in a row/);
      assert.equal(store.requests.length, 1001);
    }
    for (const wrong of [onward(odd("a")), onward(odd("a") + odd("c") + odd("b")), answered(list(odd("b") + odd("a"))), answered(list(odd("a") + odd("a")))]) {
      store.faults = [wrong];
      assert.match(await fails(KEYS, place, "list", ""), /the list is not in the order of its keys/);
    }
    // Objects that were removed while it was listed leave pages empty.
    store.faults = [onward(""), onward(""), answered(list(odd("a")))];
    assert.match(await works(KEYS, place, "find", "a"), /^a 1 /);
    store.faults = [onward(""), onward(odd("a")), onward(""), answered(list(odd("b")))];
    assert.match(await works(KEYS, place, "list", ""), /^a 1 \S+\nb 1 \S+\n$/);
    store.faults = [answered(list(["../up", ".hidden", "/etc/passwd", "a//b", "fine", "with blank"].map(odd).join("")))];
    assert.match(await works(KEYS, place, "list", ""), /^fine 1 \d+\.000\n$/, "only keys that could be ours");
    const endless = (number) => (request, response) => {
      response.writeHead(number);
      const more = () => { while (response.writable && response.write(Buffer.alloc(1 << 20, "x"))); };
      response.on("drain", more).on("error", () => {});
      more();
    };
    for (const [number, words] of [[200, /^too-large: .*8388608 bytes/], [403, /^too-large: /]]) {
      store.faults = [endless(number)];
      assert.match(await fails(KEYS, place, "list", ""), words);
    }
    store.faults = [endless(200)];
    assert.match(await fails(KEYS, place, "fetch", KEY, join(folder, "back"), "5000000"), /^corrupt: .*more than 5000000 bytes/);
    assert.ok(!existsSync(join(folder, "back")));
  });
});

test("no message holds a secret, wherever a server repeats it", async () => {
  await withStore({}, async (store, place) => {
    const repeat = (session) => {
      const text = `${session} ${KEYS.AWS_SECRET_ACCESS_KEY}`;
      const references = [...text].map((letter) => `&#${letter.codePointAt(0)};`).join("");
      const answered = (body, headers = {}, number = 200) => (request, response) => response.writeHead(number, headers).end(body);
      const list = (inner) => answered(`<ListBucketResult>${inner}</ListBucketResult>`);
      const object = (size, time) => list(`<Contents><Key>a</Key><Size>${size}</Size><LastModified>${time}</LastModified></Contents>`);
      return [
        answered(`<Error><Code>Repeats</Code><Message>${text}</Message></Error>`, {}, 418),
        answered(`<Error><Code>Repeats</Code><Message>${references}</Message></Error>`, {}, 418),
        answered(`<Error><Code>Repeats</Code><Message>${encodeURIComponent(text)}</Message></Error>`, {}, 418),
        answered(`<Error><Code>${text}</Code><Message>why</Message></Error>`, {}, 418),
        answered(`<Error><Code>${session}</Code><Message>why</Message></Error>`, {}, 418),
        answered(`<Error><Code>AuthorizationHeaderMalformed</Code><Region>${text}</Region></Error>`, {}, 400),
        answered("", { "x-amz-bucket-region": text }, 301),
        answered("", { "content-type": text }, 418),
        answered(text, {}, 500),
        object(text, "2026-01-01T00:00:00Z"), object(references, "2026-01-01T00:00:00Z"), object("1", text), object("1", references),
        list(`<${session.replaceAll(/[^a-z]/g, "")}></wrong>`),
      ];
    };
    for (const token of ["short", "token-of-the-session", `${"long/".repeat(159)}token==`]) {
      for (const fault of repeat(token)) {
        store.faults = [fault];
        await fails({ ...KEYS, AWS_SESSION_TOKEN: token, PLACE_TRIES: "1" }, place, "find", KEY);
      }
    }
    store.faults = [repeat("token-of-the-session")[0]];
    assert.match(await fails({ ...KEYS, AWS_SESSION_TOKEN: "token-of-the-session" }, place, "find", KEY), /… … \(418 Repeats\)/);
  });
});

test("no message holds a proxy's password, or the URL that gives a container its keys", async (t) => {
  const limits = { PLACE_TRIES: "1", PLACE_CONNECT_MS: "2000" };
  for (const proxy of ["ftp://user:s3cret@127.0.0.1:1", "http://user:s3cret@[::1", "http://user:s3cret@nobody.invalid:1", "http://user:s3cret@127.0.0.1:1"]) {
    const error = await fails({ ...KEYS, ...limits, http_proxy: proxy }, "s3://bucket?endpoint=http://store.invalid", "find", KEY);
    assert.match(error, /^unavailable: /);
    assert.ok(!error.includes("s3cret"), error);
  }
  const gone = await startSmallStore();
  await gone.stop();
  const service = await startMetadataService({});
  t.after(() => service.stop());
  for (const endpoint of [gone.endpoint, service.endpoint]) {
    const error = await fails({ ...limits, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${endpoint}/keys?id=s3cret` }, addressOf(gone), "find", KEY);
    assert.match(error, /the service at AWS_CONTAINER_CREDENTIALS_FULL_URI/);
    assert.ok(!error.includes("s3cret"), error);
  }
});

test("a connection that was kept and has died is no error", async () => {
  await withStore({}, async (store, place) => {
    store.keysPerPage = 1;
    for (const key of ["a", "b", "c"]) store.objects.set(key, Buffer.from("x"));
    const closing = (request, response, right) => (response.on("finish", () => request.socket.destroy()), right());
    store.faults = [closing];
    assert.equal((await works(KEYS, place, "list", "")).trim().split("\n").length, 3);
  });
});

test("credentials from the shared file", async () => {
  await withStore({ id: "OFFILE", secret: "secret/of+file=", token: "of file" }, async (store, place) => {
    const path = file("credentials", "# a comment\n[default]\naws_access_key_id = OTHER\naws_secret_access_key = wrong\n\n[team.a]\naws_access_key_id=OFFILE\naws_secret_access_key = secret/of+file=\naws_session_token = of file\n");
    const variables = { AWS_SHARED_CREDENTIALS_FILE: path };
    await works({ ...variables, AWS_PROFILE: "team.a" }, place, "find", KEY);
    assert.match(await fails(variables, place, "find", KEY), /the access key OTHER \(\[default\] in .*credentials\) is not known there/);
    assert.match(await fails({ ...variables, AWS_PROFILE: "nobody" }, place, "find", KEY), /^place-refused: .*credentials has no profile \[nobody\]; AWS_PROFILE names another/);
    assert.match(await fails({ AWS_PROFILE: "a", AWS_SHARED_CREDENTIALS_FILE: join(folder, "no such") }, place, "find", KEY), /AWS_PROFILE names a profile, but there is no file/);
    file("credentials", "[default]\naws_access_key_id=A\n");
    assert.match(await fails(variables, place, "find", KEY), /lacks aws_access_key_id or aws_secret_access_key/);
    file("credentials", "[default]\nsecret-in-an-odd-line\n");
    const error = await fails(variables, place, "find", KEY);
    assert.match(error, /credentials, line 2: /);
    assert.ok(!error.includes("secret-in"), "what is in the file is not said");
    mkdirSync(join(folder, "home", ".aws"), { recursive: true });
    file("home/.aws/credentials", "[default]\naws_access_key_id=OFFILE\naws_secret_access_key=secret/of+file=\naws_session_token=of file\n");
    await works({ HOME: join(folder, "home") }, place, "find", KEY);
  });
});

test("without any credentials the message says where they are looked for", async () => {
  await withStore({}, async (store, place) => {
    assert.match(await fails({}, place, "find", KEY), /^place-refused: .*no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into .*\/\.aws\/credentials, or give this machine a role \(AWS_EC2_METADATA_DISABLED is set\)/);
    assert.equal(store.requests.length, 0);
  });
});

test("credentials of the machine's role, and of a container's", async () => {
  let round = 0;
  const keys = (seconds) => JSON.stringify({ Code: "Success", AccessKeyId: "ROLE", SecretAccessKey: "role's", Token: `token ${++round}`, Expiration: new Date(Date.now() + seconds * 1000).toISOString() });
  const withToken = (body) => (request) => (request.headers["x-aws-ec2-metadata-token"] === "imds" ? [200, body()] : [401, ""]);
  const service = await startMetadataService({
    "PUT /latest/api/token": (request) => (request.headers["x-aws-ec2-metadata-token-ttl-seconds"] ? [200, "imds"] : [400, ""]),
    "GET /latest/meta-data/iam/security-credentials/": withToken(() => "night runner\n"),
    "GET /latest/meta-data/iam/security-credentials/night%20runner": withToken(() => keys(3600)),
    "GET /container": (request) => (request.headers.authorization === "Bearer of the pod" ? [200, keys(3600)] : [403, ""]),
    "GET /odd": () => [200, "<html>"],
    "GET /empty": () => [200, "{}"],
  });
  const machine = { AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: service.endpoint };
  try {
    await withStore({ id: "ROLE", secret: "role's", token: "token 1" }, async (store, place) => {
      store.keysPerPage = 1;
      for (const key of ["a", "b", "c"]) store.objects.set(key, Buffer.from("x"));
      await works(machine, place, "list", "");
      assert.equal(store.requests.length, 3);
      assert.equal(service.requests.length, 3, "they are kept while they hold");
    });
    // Keys that the store calls expired are asked for once more.
    await withStore({ id: "ROLE", secret: "role's", token: "token 3" }, async (store, place) => {
      await works(machine, place, "find", KEY);
      assert.equal(store.requests.length, 2);
    });
    await withStore({ id: "ROLE", secret: "role's" }, async (store, place) => {
      const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.endpoint}/container`, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file("token", "Bearer of the pod\n") };
      await works(container, place, "find", KEY);
      assert.match(await fails({ ...container, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.1.1/steal" }, place, "find", KEY), /neither https nor of this machine/);
      for (const [path, words] of [["odd", /no JSON/], ["empty", /answers no keys/], ["gone", /status 404/]]) {
        assert.match(await fails({ ...container, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.endpoint}/${path}` }, place, "find", KEY), words);
      }
    });
  } finally {
    await service.stop();
  }
});

test("a service for credentials that fails for the moment is asked again", async () => {
  const keys = JSON.stringify({ AccessKeyId: "ROLE", SecretAccessKey: "role's" });
  const failing = { times: 0 };
  const service = await startMetadataService({ "GET /container": () => (failing.times-- > 0 ? [failing.status, ""] : [200, keys]) });
  const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.endpoint}/container` };
  try {
    await withStore({ id: "ROLE", secret: "role's" }, async (store, place) => {
      for (const status of [429, 500, 503]) {
        Object.assign(failing, { times: 1, status });
        await works({ ...container, PLACE_PAUSE_MS: "2400" }, place, "find", KEY);
      }
      Object.assign(failing, { times: 100, status: 503 });
      service.requests.length = 0;
      assert.match(await fails({ ...container, PLACE_TRIES: "2", PLACE_PAUSE_MS: "5" }, place, "find", KEY), /^unavailable: .*no credentials were found.*answers with status 503.*tried 2 times/);
      assert.equal(service.requests.length, 1, "it is left alone for a second");
      Object.assign(failing, { times: 100, status: 404 });
      assert.match(await fails(container, place, "find", KEY), /^place-refused: .*no credentials were found.*answers with status 404/);
    });
  } finally {
    await service.stop();
  }
  assert.match(await fails({ ...container, PLACE_TRIES: "2", PLACE_PAUSE_MS: "5" }, "s3://bucket?endpoint=http://127.0.0.1:1", "find", KEY), /^unavailable: .*CREDENTIALS_FULL_URI: .*tried 2 times/);
});

test("where libcurl cannot be loaded, the message says what to install", async () => {
  const libraries = join(folder, "libraries");
  mkdirSync(libraries);
  writeFileSync(join(libraries, "libcurl.so.4"), "no library");
  assert.match(await fails({ ...KEYS, LD_LIBRARY_PATH: libraries }, "s3://bucket?endpoint=http://127.0.0.1:1", "list", ""), /^place-refused: a place in a bucket needs libcurl.*install the package libcurl4/);
});

test("certificates are checked", async (t) => {
  const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]);
  if (made.error) return t.skip("openssl is not installed");
  await withStore({ tls: { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) } }, async (store, place) => {
    assert.match(await fails(KEYS, place, "find", KEY), /^place-refused: .*certificate verification failed: .*AWS_CA_BUNDLE names the file/);
    assert.equal(store.requests.length, 0, "nothing is sent to a server that does not prove who it is");
    await works({ ...KEYS, AWS_CA_BUNDLE: join(folder, "cert.pem") }, place, "put", KEY, file("pack", bytes));
    assert.deepEqual(store.objects.get(KEY), bytes);
  });
});
