// What of a trace costs time, for the head of its timeline: what its report advises, in few words. How often something happens is no
// measure: launches that wait long cost nothing while the device is busy.
import type { Advice, TraceReport } from "../api/trace";
import { plural } from "../lib/format";
import { percent } from "../lib/profile";
import type { MarkKind } from "./marks";

/** `sentence`: the report's; `mark`: the kind of place that shows it, where there is one. */
export type Cost = {
  code: string;
  severity: Advice["severity"];
  words: string;
  sentence: string;
  mark: MarkKind | null;
};

type Words = {
  words: (numbers: (name: string) => number, report: TraceReport) => string;
  mark?: MarkKind;
  /** What the host does, or waits for: it costs time where the device waits for the host. */
  isHosts?: true;
};

const ofWhat = ({ device }: TraceReport): string => (device.utilization_of_steps === null ? "its span" : "the steps");
const idle = (number: (name: string) => number, report: TraceReport): string =>
  `device idle ${percent(1 - number("busy_share"))} of ${ofWhat(report)}`;

const WORDS: Record<string, Words> = {
  incomplete_trace: { words: () => "the trace is not whole" },
  impossible_times: { words: (number) => `${plural(number("set_aside"), "slice")} of devices with impossible times` },
  cuda_graphs_old_driver: { words: () => "CUDA graphs with a driver that is too old to profile them safely" },
  cpu_bound: { words: (number, report) => `${idle(number, report)}, waiting for the host`, mark: "idle_host_wait" },
  device_idle: { words: idle, mark: "device_idle" },
  compiling_in_window: { words: (number) => `compiling ${percent(number("share"))} of the trace`, mark: "compiling" },
  graph_breaks: { words: (_, report) => plural(report.graph_breaks.breaks, "graph break"), mark: "graph_break" },
  recompiled_frames: {
    words: (_, report) =>
      report.recompilation.recompiles === null
        ? "recompilations"
        : plural(report.recompilation.recompiles, "recompilation"),
    mark: "recompile",
  },
  exposed_communication: {
    words: (number) => `communication, ${percent(1 - number("overlap_share"))} of it not covered by computation`,
  },
  data_loading: { words: (number) => `waiting for data ${percent(number("share"))} of the steps` },
  pageable_copies: {
    words: (number) =>
      `${plural(number("copies"), "copy of pageable memory", "copies of pageable memory")}, ${percent(number("share"))} of the device's busy time`,
    mark: "pageable_copy",
  },
  synchronizations: {
    words: (number) => `${plural(number("calls"), "synchronization")}, ${percent(number("share"))} of the trace`,
    mark: "synchronization",
    isHosts: true,
  },
  launch_overhead: {
    words: (number) => `${percent(number("share"))} of launches longer than what they launch`,
    isHosts: true,
  },
  short_kernels: { words: (number) => `${percent(number("share"))} of kernels under 10 µs`, isHosts: true },
};

const IDLE = ["cpu_bound", "device_idle"];

/** The gravest first, as the report has them. */
export function costsOf(report: TraceReport): Cost[] {
  const isIdle = report.advice.some((one) => IDLE.includes(one.code));
  return report.advice.flatMap(({ code, severity, sentence, numbers }): Cost[] => {
    const known = WORDS[code];
    if (known ? known.isHosts && !isIdle : severity === "note") return [];
    // What a newer program advises is said as it is called.
    return [
      {
        code,
        severity,
        sentence,
        mark: known?.mark ?? null,
        words: known ? known.words((name) => numbers[name] ?? NaN, report) : code.replace(/_/g, " "),
      },
    ];
  });
}

/** How busy the devices were, where no cost says it; null where there is none. */
export function deviceUse(report: TraceReport): { words: string; why: string } | null {
  if (report.cannot_tell.device) return { words: "device use unknown", why: report.cannot_tell.device };
  const busy = report.device.utilization_of_steps ?? report.device.utilization;
  if (busy === null || report.advice.some((one) => IDLE.includes(one.code))) return null;
  return {
    words: `device busy ${percent(busy)} of ${ofWhat(report)}`,
    why: "The time in which a kernel, a copy or a set ran on any device",
  };
}
