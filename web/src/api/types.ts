// Short names for the shapes of the answers. They come from schema/openapi.json by `npm run types`; nothing is described here.
import type { components } from "./openapi";

type Schemas = components["schemas"];

export type Interval = Schemas["Interval"];
export type Estimate = Schemas["Estimate"];
export type Speedup = Schemas["Speedup"];
export type Geomean = Schemas["Geomean"];
export type RunRef = Schemas["RunRef"];
export type Run = Schemas["Run"];
export type Experiment = Schemas["Experiment"];
export type Verification = Schemas["Verification"];
export type Failure = Schemas["Failure"];
export type Group = Schemas["Group"];
export type Move = Schemas["Move"];
export type Transition = Schemas["Transition"];
export type TransitionKind = Transition["kind"];
export type Overview = Schemas["Overview"];
export type AcceleratorOverview = Overview["accelerators"][number];
export type Cell = Schemas["Cell"];
export type ModelTable = Schemas["ModelTable"];
export type ModelRow = ModelTable["rows"][number];
export type ColumnGeomean = Schemas["ColumnGeomean"];
export type ResultDetail = Schemas["ResultDetail"];
export type Measurement = Schemas["Measurement"];
export type Sample = Measurement["samples"][number];
export type ModelItem = Schemas["ModelItem"];
export type SeriesAnswer = Schemas["SeriesAnswer"];
export type Series = SeriesAnswer["series"][number];
export type SeriesPoint = NonNullable<Series["points"][number]>;
export type CodeInfo = Schemas["Code"];
export type VerificationAnswer = Schemas["VerificationTable"];
export type VerificationCell = NonNullable<VerificationAnswer["rows"][number]["cells"][string]>;
export type VerificationHistory = Schemas["VerificationHistory"];
export type TransitionsAnswer = Schemas["TransitionList"];
export type FailuresAnswer = Schemas["FailureList"];
export type Ingest = Schemas["Ingest"];
export type RejectedLine = Schemas["RejectedLine"];
export type MetricInfo = Schemas["MetricEntry"];
export type Page<T> = { items: T[]; next_cursor: string | null; total: number };
/** As the server sends it; what goes wrong before an answer is said in the same words. */
export type Problem = Pick<Schemas["Problem"], "title" | "status"> & Partial<Schemas["Problem"]>;
