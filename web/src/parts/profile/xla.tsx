// PyTorch/XLA's metrics report: compilations, executions and transfers with their percentiles; what fell back to the CPU.
import { useMemo } from "preact/hooks";
import type { XlaMetric, XlaMetrics, XlaMetricValue } from "../../api/types";
import { count, digits, full, plural } from "../../lib/format";
import { isFallback, isUnusualFallback, metricText } from "../../lib/profile";
import { Missing } from "../small";
import { type Column, Table } from "../table";
import { Name } from "./bits";
import { type CounterRow, CounterTable } from "./counters";

const WORDS: Record<string, string> = {
  CompileTime: "turning graphs into programs",
  ExecuteTime: "the device at work, waiting in its queue included",
  TransferToDeviceTime: "copying from the host to the device",
  TransferFromDeviceTime: "copying from the device to the host",
  InboundData: "bytes from the device to the host",
  OutboundData: "bytes from the host to the device",
};

function Value({ value, why }: { value: XlaMetricValue | null | undefined; why: string }) {
  if (!value) return <Missing why={why} flush />;
  return (
    <span class="num" title={`printed as ${value.text}; ${full(value.value)} ${value.unit}`}>
      {metricText(value)}
    </span>
  );
}

/** The percentiles that any of the metrics has, in order. */
export const percentsOf = (metrics: readonly XlaMetric[]): number[] =>
  [...new Set(metrics.flatMap((one) => one.percentiles.map((two) => two.percent)))].sort((a, b) => a - b);

const row = (counter: XlaMetrics["counters"][number], more: Pick<CounterRow, "note" | "tone"> = {}): CounterRow => ({
  name: counter.name,
  values: [counter.value],
  ...more,
});

export function XlaReport({ report }: { report: XlaMetrics }) {
  const columns = useMemo<Column<XlaMetric>[]>(
    () => [
      {
        key: "name",
        title: "Metric",
        width: 260,
        sort: (one) => one.name,
        cell: (one) => <Name text={one.name} title={WORDS[one.name] ? `${one.name}: ${WORDS[one.name]}` : one.name} />,
      },
      {
        key: "samples",
        title: "Samples",
        width: 92,
        align: "right",
        first: "desc",
        sort: (one) => one.total_samples,
        cell: (one) => <span class="num">{count(one.total_samples)}</span>,
      },
      {
        key: "total",
        title: "All together",
        hint: "The report's accumulator. Times are decoded: the report prints every unit but the last rounded up or down",
        width: 124,
        align: "right",
        first: "desc",
        sort: (one) => one.accumulator?.value,
        cell: (one) => <Value value={one.accumulator} why="the report says no sum" />,
      },
      {
        key: "rate",
        title: "Samples a second",
        width: 140,
        align: "right",
        first: "desc",
        sort: (one) => one.rate,
        cell: (one) =>
          one.rate === null ? (
            <Missing why="the report says no rate" flush />
          ) : (
            <span class="num" title={full(one.rate)}>
              {digits(one.rate)}
            </span>
          ),
      },
      ...percentsOf(report.metrics).map(
        (percent): Column<XlaMetric> => ({
          key: `p${percent}`,
          title: `${percent} %`,
          label: `${percent}th percentile`,
          hint: `${percent} % of the samples that the report still holds are at most this`,
          width: 100,
          align: "right",
          first: "desc",
          starts: percent === percentsOf(report.metrics)[0],
          sort: (one) => one.percentiles.find((two) => two.percent === percent)?.value.value,
          cell: (one) => (
            <Value
              value={one.percentiles.find((two) => two.percent === percent)?.value}
              why="the report has no such percentile"
            />
          ),
        }),
      ),
    ],
    [report],
  );
  const fallbacks = report.counters.filter((one) => isFallback(one.name));
  const unusual = fallbacks.filter((one) => isUnusualFallback(one.name));
  const usual = fallbacks.filter((one) => !isUnusualFallback(one.name));
  const others = report.counters.filter((one) => !isFallback(one.name));
  return (
    <>
      {report.metrics.length > 0 ? (
        <Table
          caption="Metrics of the report"
          columns={columns}
          rows={report.metrics}
          rowKey={(one) => one.name}
          sortKey="xla"
          orderWords="as the report has them"
        />
      ) : (
        <p class="quiet">The report has no metrics.</p>
      )}
      <div class="counter-groups">
        <section aria-label="Operations that fell back to the CPU">
          <h3 class={unusual.length ? "worse" : ""}>
            {unusual.length ? "✗ " : ""}
            {unusual.length ? `${plural(unusual.length, "operation")} fell back to the CPU` : "Fallbacks to the CPU"}{" "}
            <span class="quiet note">
              {fallbacks.length
                ? "operations that XLA has no lowering for; aten::nonzero and aten::_local_scalar_dense are usual"
                : "none"}
            </span>
          </h3>
          {fallbacks.length > 0 && (
            <CounterTable
              caption="Fallback operations"
              heads={["count"]}
              rows={[
                ...unusual.map((one) => row(one, { tone: "worse" })),
                ...usual.map((one) => row(one, { note: "usual" })),
              ]}
            />
          )}
        </section>
        {others.length > 0 && (
          <section aria-label="Counters of the report">
            <h3>Counters</h3>
            <CounterTable caption="Counters of the report" heads={["count"]} rows={others.map((one) => row(one))} />
          </section>
        )}
      </div>
    </>
  );
}
