// The Debian package: built, looked into, and installed, used and removed in a system of its own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { benchhud, program, removeFolder, root, temporaryFolder } from "./support/server.mjs";

let folder, deb, unpacked, why;

function run(command, args, options = {}) {
  return spawnSync(command, args, { encoding: "utf8", timeout: 600_000, maxBuffer: 1 << 26, ...options });
}

function must(command, args, options) {
  const done = run(command, args, options);
  assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.error ?? ""}${done.stdout}${done.stderr}`);
  return done.stdout;
}

const has = (command) => !run("sh", ["-c", `command -v ${command}`]).error && run("sh", ["-c", `command -v ${command}`]).status === 0;

/** The build folder that the program is from; nothing where it is not from one. */
function buildFolder() {
  const tree = dirname(dirname(realpathSync(program)));
  return existsSync(join(tree, "CMakeCache.txt")) ? tree : undefined;
}

before(() => {
  folder = temporaryFolder("package");
  const tree = buildFolder();
  if (!tree) why = "the program is not in the folder that it was built in";
  for (const tool of ["dpkg-deb", "dpkg-shlibdeps", "cmake"]) if (!has(tool)) why = `${tool} is not installed`;
  if (why) return;
  must("cmake", ["-B", tree, "-S", root, "-DBENCHHUD_PACKAGE=ON", "--log-level=WARNING"]);
  must("cmake", ["--build", tree, "--target", "deb"]);
  const found = readdirSync(tree).filter((name) => /^benchhud_.*\.deb$/.test(name) && name.includes(version()));
  assert.equal(found.length, 1, String(found));
  deb = join(folder, found[0]);
  copyFileSync(join(tree, found[0]), deb);
  unpacked = join(folder, "unpacked");
  must("dpkg-deb", ["-R", deb, unpacked]);
});
after(() => folder && removeFolder(folder));

function version() {
  return /project\(benchhud VERSION (\S+)/.exec(readFileSync(join(root, "CMakeLists.txt"), "utf8"))[1];
}
const inPackage = (name) => join(unpacked, name);
const field = (name) => must("dpkg-deb", ["-f", deb, name]).trim();

test("it has the program, the units, the settings and the manual, of one version", (t) => {
  if (why) return t.skip(why);
  assert.equal(field("Package"), "benchhud");
  assert.equal(field("Version"), `${version()}-1`);
  assert.equal(must(inPackage("usr/bin/benchhud"), ["--version"]), `benchhud ${version()}\n`);
  assert.match(field("Depends"), /libsqlite3-0 .*libssl3|libssl3 .*libsqlite3-0|libc6/);
  assert.match(field("Depends"), /libsqlite3-0/);
  const units = readdirSync(join(root, "deploy")).filter((name) => /\.(service|timer)$/.test(name));
  assert.deepEqual(readdirSync(inPackage("lib/systemd/system")).sort(), units.sort());
  for (const unit of units) {
    const text = readFileSync(inPackage(`lib/systemd/system/${unit}`), "utf8");
    assert.equal(text, readFileSync(join(root, "deploy", unit), "utf8").replaceAll("/usr/local/bin", "/usr/bin"));
  }
  assert.deepEqual(readFileSync(inPackage("DEBIAN/conffiles"), "utf8").trim().split("\n").sort(), ["ingest", "serve", "watch"].map((name) => `/etc/benchhud/${name}.env`));
  for (const name of ["copyright", "changelog.Debian.gz", "nightly.md", "README.md"]) assert.ok(existsSync(inPackage(`usr/share/doc/benchhud/${name}`)), name);
  assert.ok(!readdirSync(unpacked).some((name) => !["DEBIAN", "etc", "lib", "usr"].includes(name)), "nothing elsewhere");
});

test("every command has a page of the manual, with all its options, that man takes without a word", (t) => {
  if (why) return t.skip(why);
  const commands = [...benchhud("help").stdout.matchAll(/^ {2}(\S+) +(\S.*)$/gm)].map(([, name]) => name);
  assert.ok(commands.length > 20);
  const pages = readdirSync(inPackage("usr/share/man/man1")).sort();
  assert.deepEqual(pages, ["benchhud", ...commands.map((name) => `benchhud-${name}`)].map((name) => `${name}.1.gz`).sort());
  const checkers = [["man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]], ["mandoc", ["-Tlint", "-W", "warning"]]].filter(([command]) => has(command));
  if (checkers.length === 0) t.diagnostic("neither man nor mandoc is installed: nothing reads the pages");
  for (const page of pages) {
    const text = gunzipSync(readFileSync(inPackage(`usr/share/man/man1/${page}`))).toString();
    const file = join(folder, page.replace(/\.gz$/, ""));
    writeFileSync(file, text);
    for (const [command, args] of checkers) {
      const read = run(command, [...args, file], { env: { ...process.env, LC_ALL: "C.UTF-8", MANROFFSEQ: "", MANWIDTH: "80" } });
      assert.equal(read.stderr + (command === "mandoc" ? read.stdout : ""), "", `${command} ${page}`);
    }
    const command = /^benchhud-(.*)\.1$/.exec(basename(file))?.[1];
    if (!command) continue;
    for (const [, option] of benchhud(command, "--help").stdout.matchAll(/^ {2}(--[a-z-]+)/gm)) {
      assert.ok(text.includes(`.B ${option.replaceAll("-", "\\-")}`), `${page} lacks ${option}`);
    }
  }
});

test("lintian finds no errors", (t) => {
  if (why) return t.skip(why);
  if (!has("lintian")) return t.skip("lintian is not installed");
  const found = run("lintian", ["--fail-on", "error", "--allow-root", deb]);
  assert.equal(found.status, 0, found.stdout + found.stderr);
});

/** A system with nothing in it but what the package needs: Debian's own where a mirror answers (BENCHHUD_NO_MIRROR=1: none is
 *  asked), else what this one has of it. */
function bareRoot(t) {
  if (process.getuid() !== 0) return t.skip("only root can install a package");
  const place = join(folder, "root");
  if (has("mmdebstrap") && !process.env.BENCHHUD_NO_MIRROR) {
    const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    // Exactly what the package says that it needs.
    const needed = field("Depends").split(", ").map((each) => each.split(" ")[0]);
    const made = run("mmdebstrap", ["--variant=apt", "--quiet", `--include=${needed.join(",")}`, codename, place], { timeout: 500_000 });
    if (made.status === 0) return { place, install: ["chroot", place, "dpkg", "-i", "/benchhud.deb"], kind: `Debian ${codename} of a mirror` };
    t.diagnostic(`no mirror answered: ${made.stderr.trim().split("\n").at(-1)}`);
    removeFolder(place);
  }
  for (const name of ["var/lib/dpkg/updates", "var/lib/dpkg/info", "etc", "tmp", "usr/bin", "usr/lib", "usr/sbin", "usr/lib64"]) mkdirSync(join(place, name), { recursive: true });
  for (const name of ["bin", "lib", "sbin", "lib64"]) must("ln", ["-s", `usr/${name}`, join(place, name)]);
  for (const name of ["var/lib/dpkg/status", "var/lib/dpkg/available"]) writeFileSync(join(place, name), "");
  const programs = ["sh", "rm", "env"].map((name) => must("sh", ["-c", `command -v ${name}`]).trim());
  const wanted = new Set();
  for (const file of [...programs, program]) for (const [, library] of must("ldd", [file]).matchAll(/(?:=> |^\s+)(\/\S+)/gm)) wanted.add(library);
  for (const file of [...programs, ...wanted]) {
    const to = join(place, file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(realpathSync(file), to);
  }
  return { place, install: ["dpkg", `--root=${place}`, "--force-depends", "-i", deb], kind: "libraries of this system" };
}

test("it is installed, runs, is upgraded and removed, and leaves nothing but the results", (t) => {
  if (why) return t.skip(why);
  const bare = bareRoot(t);
  if (!bare) return;
  t.diagnostic(`installed in: ${bare.kind}`);
  const { place } = bare;
  copyFileSync(deb, join(place, "benchhud.deb"));
  const inside = (...args) => run("chroot", [place, ...args], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", DEBIAN_FRONTEND: "noninteractive" } });
  const dpkg = (...args) => (bare.kind.startsWith("Debian") ? inside("dpkg", ...args) : run("dpkg", [`--root=${place}`, "--force-depends", ...args]));
  const files = () => must("find", [".", "-xdev", "-path", "*benchhud*", "-not", "-name", "benchhud.deb"], { cwd: place }).split("\n").filter((name) => name && !/\/(proc|var\/(lib\/(dpkg|apt|ucf)|log|cache))\//.test(name)).map((name) => name.slice(1)).sort();
  assert.deepEqual(files(), []);

  const installed = run(bare.install[0], bare.install.slice(1), { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  assert.equal(installed.status, 0, installed.stdout + installed.stderr);
  assert.equal(inside("/usr/bin/benchhud", "--version").stdout, `benchhud ${version()}\n`);
  cpSync(join(root, "samples/cpu_nightlies/2025-11-13"), join(place, "tmp/night"), { recursive: true });
  const data = "/var/lib/benchhud";
  const taken = inside("/usr/bin/benchhud", "ingest", "/tmp/night", "--summary", "--db", `${data}/benchhud.db`);
  assert.equal(taken.status, 0, taken.stderr);
  assert.match(taken.stdout, /^1 file: [1-9]\d* new/);

  writeFileSync(join(place, "etc/benchhud/ingest.env"), "BENCHHUD_PATHS=/srv/mine\n");
  const again = bare.kind.startsWith("Debian") ? inside("dpkg", "-i", "/benchhud.deb") : dpkg("-i", deb);
  assert.equal(again.status, 0, again.stderr);
  assert.equal(readFileSync(join(place, "etc/benchhud/ingest.env"), "utf8"), "BENCHHUD_PATHS=/srv/mine\n", "one's settings stay");

  const removed = dpkg("-r", "benchhud");
  assert.equal(removed.status, 0, removed.stderr);
  assert.deepEqual(files(), ["/etc/benchhud", ...["ingest", "serve", "watch"].map((name) => `/etc/benchhud/${name}.env`), data, `${data}/benchhud.db`]);
  const purged = dpkg("-P", "benchhud");
  assert.equal(purged.status, 0, purged.stderr);
  assert.match(purged.stdout, /the results in \/var\/lib\/benchhud stay; delete them by hand/);
  assert.deepEqual(files(), [data, `${data}/benchhud.db`]);
});
