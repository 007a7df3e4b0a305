// Object stores of the tests: s3rver, and a small one that checks signatures (s3rver does not) and fails as it is asked to.
import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { resolve } from "node:path";
import S3rver from "s3rver";
import { root } from "./server.mjs";

export const placeProgram = resolve(root, process.env.BENCHHUD_PLACE_PROGRAM ?? "build/release/tests/place_program");
export const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "the/secret+of S3RVER" };

/** s3rver with one bucket, in a folder; { endpoint, stop() }. */
export async function startS3rver(directory, bucket) {
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] });
  const { port } = await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/**
 * Whether a request is signed by `secret`, as "AWS Signature Version 4: authenticating requests" of the Amazon S3 API reference has it. Returns why
 * not, or "".
 */
function wrongSignature(request, body, { id, secret, region }) {
  const header = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    request.headers.authorization ?? "",
  );
  if (!header) return "AccessDenied";
  const [, keyId, day, signedRegion, names, signature] = header;
  if (keyId !== id) return "InvalidAccessKeyId";
  if (signedRegion !== region) return "AuthorizationHeaderMalformed";
  if (request.headers["x-amz-content-sha256"] !== sha256(body)) return "XAmzContentSHA256Mismatch";
  for (const name of ["host", "x-amz-content-sha256", "x-amz-date", ...(request.headers["x-amz-security-token"] ? ["x-amz-security-token"] : [])]) {
    if (!names.split(";").includes(name)) return "AccessDenied";
  }
  const [path, query = ""] = request.url.split("?");
  const canonical = [
    request.method,
    path,
    query.split("&").filter(Boolean).sort().join("&"),
    ...names.split(";").map((name) => `${name}:${request.headers[name].trim()}`),
    "",
    names,
    request.headers["x-amz-content-sha256"],
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], `${day}/${region}/s3/aws4_request`, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce((made, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, text).toString("hex") === signature ? "" : "SignatureDoesNotMatch";
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Answers with an error as S3 writes it. */
export function refuse(response, status, code, more = "", headers = {}) {
  response.writeHead(status, { "content-type": "application/xml", ...headers });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>about ${code}</Message>${more}</Error>`);
}

/**
 * A store of one bucket that fails as it is asked to.
 *
 * `faults` are taken one per request, the last one for all that follow; each is a function (request, response, answer) that answers in its own way, calls
 * answer() for the right answer, or is null for it. `requests` has what was asked: method, path, query, headers.
 */
export async function startSmallStore({ bucket = "bucket", id = KEYS.AWS_ACCESS_KEY_ID, secret = KEYS.AWS_SECRET_ACCESS_KEY, region = "us-east-1", pathStyle = true, tls, token } = {}) {
  const store = { objects: new Map(), faults: [], requests: [], keysPerPage: 1000 };
  const take = () => (store.faults.length > 1 ? store.faults.shift() : store.faults[0]);

  function list(query, response) {
    const all = [...store.objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "")).sort();
    const from = Number(query.get("continuation-token")?.split("/=+ ")[1] ?? 0);
    const most = Math.min(store.keysPerPage, Number(query.get("max-keys")));
    const next = from + most < all.length ? `page/=+ ${from + most}` : "";
    const contents = all.slice(from, from + most).map(
      (key) => `<Contents><Key>${escaped(key)}</Key><LastModified>2026-11-28T01:02:03.000Z</LastModified><Size>${store.objects.get(key).length}</Size></Contents>`,
    );
    response.setHeader("content-type", "application/xml");
    response.end(
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${next !== ""}</IsTruncated>` +
        `${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${contents.join("")}</ListBucketResult>`,
    );
  }

  function answer(request, body, response) {
    const wrong = wrongSignature(request, body, { id, secret, region });
    if (wrong) return refuse(response, wrong === "AuthorizationHeaderMalformed" ? 400 : 403, wrong, `<Region>${region}</Region>`);
    if (token && request.headers["x-amz-security-token"] !== token) return refuse(response, 400, "ExpiredToken");
    const url = new URL(request.url, "http://host");
    const [named, ...rest] = pathStyle ? url.pathname.slice(1).split("/") : [request.headers.host.split(".")[0], ...url.pathname.slice(1).split("/")];
    const key = decodeURIComponent(rest.join("/"));
    if (named !== bucket) return refuse(response, 404, "NoSuchBucket");
    if (request.method === "GET" && key === "") return list(url.searchParams, response);
    if (request.method === "PUT") return store.objects.set(key, body), response.end();
    if (request.method === "DELETE") return store.objects.delete(key), response.writeHead(204).end();
    const object = store.objects.get(key);
    if (!object) return refuse(response, 404, "NoSuchKey");
    response.writeHead(200, { "content-length": object.length });
    response.end(object);
  }

  const serve = (request, response) => {
    const pieces = [];
    const [path, query = ""] = request.url.split("?");
    store.requests.push({ method: request.method, path, query, headers: request.headers });
    const fault = take();
    if (fault?.isBeforeBody) return fault(request, response);
    request.on("data", (piece) => pieces.push(piece));
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      const right = () => answer(request, body, response);
      fault ? fault(request, response, right) : right();
    });
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  return Object.assign(store, {
    port,
    endpoint: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    stop: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  });
}

/** Services that give a machine or a container its credentials: `answers` has [status, body] by path; `requests` as above. */
export async function startMetadataService(answers) {
  const service = { requests: [] };
  const server = createServer((request, response) => {
    service.requests.push({ method: request.method, path: request.url, headers: request.headers });
    const [status, body] = answers[`${request.method} ${request.url}`]?.(request) ?? [404, "not here"];
    response.writeHead(status).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return Object.assign(service, {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  });
}

/** Runs one operation with nothing of this process' AWS variables and proxies. { status, signal, stdout, stderr, seconds } */
export function runPlace(variables, ...args) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^AWS_|_proxy$/i.test(name)));
  const child = spawn(placeProgram, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...clean, AWS_EC2_METADATA_DISABLED: "true", ...variables },
  });
  const began = performance.now();
  const done = { stdout: "", stderr: "" };
  child.stdout.on("data", (bytes) => (done.stdout += bytes));
  child.stderr.on("data", (bytes) => (done.stderr += bytes));
  return new Promise((finish, fail) => {
    child.on("error", fail);
    child.on("close", (status, signal) => {
      finish({ status, signal, ...done, seconds: (performance.now() - began) / 1000 });
    });
  });
}
