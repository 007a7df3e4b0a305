import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../src/api/client";
import type { Artifact, ArtifactContent, PhasesAnswer } from "../src/api/types";
import { allClear, phaseFlags } from "../src/lib/flags";
import { type Profile, chooseDumps, profileFlags, traceState } from "../src/lib/profile_data";
import { profileSections } from "../src/parts/profile/sections";

let ids = 0;
const artifact = (more: Partial<Artifact>): Artifact => ({
  id: ++ids,
  kind: "trace",
  name: "m/0/trace.json",
  path: "/x",
  model: "m",
  repetition: 0,
  part: "",
  byte_count: 1,
  content_hash: "",
  at: "2026-01-01T00:00:00Z",
  problem_count: 0,
  unreadable: null,
  superseded: false,
  has_text: false,
  trace_id: 1,
  results: [],
  ...more,
});
const again = () => {};
const error = new ApiError({ title: "Internal Server Error", status: 500 }, "/x");
const content = (of: Artifact, trace: unknown) => ({ artifact: of, problems: [], trace }) as unknown as ArtifactContent;
const report = {
  advice: [],
  kernels: { total: { count: 0 } },
  cannot_tell: { device: null, launches: null },
  compile_time: { phases: [] },
  graph_breaks: {},
  torch_compile: {},
};
const phases = {
  metrics: {},
  iterations_per_run: 1,
  flags: [],
  checks: [],
  definitions: { checks: [] },
} as unknown as PhasesAnswer;
const asked = <T>(data: T | null, failed: ApiError | null = null) => ({
  data,
  error: failed,
  again,
  url: "",
  late: false,
});

test("a profile shows the last repetition's dumps unless asked, and the first trace for what only it compiles", () => {
  const dumps = [0, 1].map((repetition) => artifact({ repetition }));
  const old = artifact({ repetition: 7, superseded: true });
  const chosen = chooseDumps([...dumps, old], null);
  assert.deepEqual(
    [chosen.repetitions, chosen.repetition, chosen.trace, chosen.firstTrace],
    [[0, 1], 1, dumps[1], dumps[0]],
  );
  const first = chooseDumps(dumps, "0");
  assert.deepEqual([first.trace, first.firstTrace], [dumps[0], undefined]);
  assert.equal(chooseDumps(dumps, "5").repetition, 1, "a repetition without dumps");
  assert.deepEqual([chooseDumps([], null).repetition, chooseDumps([], null).trace], [null, undefined]);
});

test("how far one is with a trace: the content of another one is no answer", () => {
  const [file, other] = [artifact({}), artifact({})] as const;
  assert.equal(traceState(file, asked<ArtifactContent>(null)).state, "waiting");
  assert.equal(traceState(file, asked(content(other, report))).state, "waiting");
  assert.equal(traceState(file, asked<ArtifactContent>(null, error)).state, "failed");
  assert.equal(traceState(file, asked(content(file, null))).state, "unread");
  assert.equal(traceState(undefined, asked<ArtifactContent>(null)).state, "unread");
  assert.equal(traceState(file, asked(content(file, report))).state, "answered");
});

test("nothing stands out only where every source has answered", () => {
  const file = artifact({ repetition: 1 });
  const said = (one: Parameters<typeof profileFlags>) => allClear(profileFlags(...one).sources);
  const read = traceState(file, asked(content(file, report)));
  assert.equal(said([asked(phases), null]), "Nothing stands out.");
  assert.equal(said([asked(phases), read]), "Nothing stands out.");
  assert.equal(said([asked(phases, error), read]), "Nothing stands out.", "the last answer still stands");
  assert.equal(said([asked<PhasesAnswer>(null), read]), "");
  assert.equal(said([asked<PhasesAnswer>(null, error), read]), "");
  assert.equal(said([asked(phases), traceState(file, asked<ArtifactContent>(null))]), "");
  assert.equal(said([asked(phases), traceState(file, asked<ArtifactContent>(null, error))]), "");
  assert.equal(
    said([asked(phases), traceState(undefined, asked<ArtifactContent>(null))]),
    "Nothing stands out in the timing.",
  );
});

test("flags of the timing say of which repetitions they are", () => {
  const flag = (repetitions: number[]) =>
    ({
      flags: [{ code: "c", severity: "note", sentence: "s", repetitions, values: { seconds: 1, none: null } }],
    }) as unknown as PhasesAnswer;
  assert.deepEqual(phaseFlags(flag([]))[0], {
    key: "c",
    severity: "note",
    sentence: "s",
    numbers: [["seconds", 1]],
    from: "timing",
  });
  assert.equal(phaseFlags(flag([1, 2]))[0]?.from, "timing, repetition 1, 2");
  assert.equal(phaseFlags(flag([1, 2, 3, 4, 5, 6, 7]))[0]?.from, "timing, 7 repetitions");
});

test("the list of contents names the sections that are there", () => {
  const ids = (artifacts: Artifact[], trace: unknown) => {
    const dumps = chooseDumps(artifacts, null);
    const profile = {
      result: { run: { id: 1 } },
      artifacts: { items: artifacts, total: artifacts.length, next_cursor: null },
      dumps,
      phases: asked(phases),
      trace: traceState(dumps.trace, asked(dumps.trace && trace !== undefined ? content(dumps.trace, trace) : null)),
      compiling: null,
      counters: { data: [], error: null },
      functions: { data: [], error: null },
    } as unknown as Profile;
    return profileSections(profile)
      .filter((one) => one.when)
      .map((one) => one.id);
  };
  assert.deepEqual(ids([], undefined), ["phases", "flags"]);
  assert.deepEqual(ids([artifact({})], report), [
    "phases",
    "flags",
    "compiled",
    "breaks",
    "operators",
    "device",
    "files",
  ]);
  assert.deepEqual(
    ids([artifact({ unreadable: "half a file", trace_id: null })], undefined),
    ["phases", "flags", "compiled", "breaks", "device", "files"],
    "no operators by a trace that could not be read",
  );
  assert.deepEqual(
    ids([artifact({ kind: "operator_table", has_text: true }), artifact({ kind: "ir", has_text: true })], undefined),
    ["phases", "flags", "operators", "ir", "files"],
  );
});
