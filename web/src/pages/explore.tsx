// Explore: any number of any slice, over runs, before against now, or this against that. The address says all of it.
import { useMemo, useState } from "preact/hooks";
import { address } from "../api/address";
import type { History, MetricInfo, ModelItem, Run } from "../api/types";
import { PER_PAGE, usePages, useRuns } from "../api/pages";
import { useApi } from "../api/use";
import { announce } from "../lib/announce";
import { byBackend } from "../lib/backends";
import { fileName, savePng, saveSvg } from "../lib/download";
import {
  labelSlices,
  type Asked,
  type AxisChoice,
  DEFAULTS,
  type Filter,
  MOST_DIMENSIONS,
  NO_DIMENSION,
  PRESETS,
  RAW,
  RESULT_METRICS,
  type View,
  VIEWS,
  endWord,
  readAsked,
  writeAxis,
  writeMeasure,
} from "../lib/explore";
import { shown, testName } from "../lib/format";
import { DIMENSIONS, GROUP_METRICS, dimensionWord } from "../lib/history";
import { useTitle } from "../lib/hooks";
import { useQuery } from "../lib/route";
import { svgText } from "../lib/svg_text";
import { testOrder } from "../lib/words";
import { Check, Choice, MarkdownButton, Menu, Select, Toggles } from "../parts/controls";
import { Empty } from "../parts/empty";
import { ErrorNote, Waiting } from "../parts/small";
import { Changes } from "./explore_changes";
import { EachOverRuns, GroupsOverRuns } from "./explore_lines";
import type { Taken } from "./explore_parts";
import { ScatterOf } from "./explore_scatter";

const SPANS = ["30", "60", "180", "365"];
const MOST_MODELS = 10_000;

export function ExplorePage() {
  const [query, setQuery] = useQuery();
  const asked = useMemo(() => readAsked(query), [query.toString()]);
  const [taken, setTaken] = useState<Taken | null>(null);
  const models = usePages(address("/models", { limit: MOST_MODELS }), { whole: true });
  const columns = useApi(address("/history", { runs: 1, group_by: ["test", "column"] })).data;
  const metrics = usePages(address("/metrics-registry", { limit: PER_PAGE }), { whole: true });
  const registry = metrics.data?.items ?? [];
  useTitle("Explore");

  const items = models.data?.items ?? [];
  const runs = useRuns().data;
  const options = useMemo(() => optionsOf(items, columns, runs?.items ?? [], asked), [items, columns, runs, asked]);
  const set = (change: Record<string, string | string[] | null>) => setQuery({ ...change, range: null });
  const choose = (key: keyof typeof DEFAULTS, value: string) => set({ [key]: value === DEFAULTS[key] ? null : value });
  if (!models.data || (!metrics.data && !metrics.error))
    return models.error ? <ErrorNote error={models.error} again={models.again} /> : <Waiting rows={14} />;
  if (models.data.total === 0) return <Empty />;
  const { view, measure } = asked;
  const isOfResults = view === "changes" || view === "scatter" || measure.kind !== "group";
  const accelerator = asked.filters.accelerator_model[0] ?? "";
  return (
    <div>
      <nav class="presets" aria-label="Questions">
        {PRESETS.map((preset) => (
          <a
            key={preset.href}
            href={preset.href}
            aria-current={preset.href === location.pathname + location.search ? "page" : undefined}
          >
            {preset.text}
          </a>
        ))}
      </nav>
      <div class="toolbar explore-choices">
        <Choice label="Show" value={view} options={VIEWS} onChange={(value) => choose("view", value as View)} />
        <Measures asked={asked} registry={registry} choose={choose} set={set} />
        <Select
          label="Accelerator"
          value={accelerator}
          options={[
            { value: "", text: isOfResults ? "of the newest run" : "each" },
            ...options.accelerator_model.map((value) => ({ value, text: value })),
          ]}
          onChange={(value) => set({ accelerator_model: value || null })}
        />
        {(["suite", "test", "backend", "column", "label"] as const).map(
          (filter) =>
            (options[filter].length > 1 || asked.filters[filter].length > 0) && (
              <Any key={filter} filter={filter} asked={asked} options={options[filter]} set={set} />
            ),
        )}
        <ModelChoice items={items} asked={asked} set={set} />
        <Choice
          label="Last"
          value={asked.runs}
          options={SPANS.map((value) => ({ value, text: `${value} runs` }))}
          onChange={(value) => choose("runs", value)}
        />
        <Dates asked={asked} set={set} />
        <Select
          label="Speedup over"
          value={asked.baseline}
          options={options.backend.map((value) => ({ value, text: value }))}
          onChange={(value) => choose("baseline", value)}
        />
      </div>
      {view === "changes" ? (
        <Changes asked={asked} onTaken={setTaken} />
      ) : view === "scatter" ? (
        <ScatterOf asked={asked} onTaken={setTaken} />
      ) : measure.kind === "each" ? (
        <EachOverRuns asked={asked} infos={registry} onTaken={setTaken} />
      ) : (
        <GroupsOverRuns asked={asked} onTaken={setTaken} />
      )}
      <TakeAlong taken={taken} />
    </div>
  );
}

type SetQuery = (change: Record<string, string | string[] | null>) => void;
type Choose = (key: keyof typeof DEFAULTS, value: string) => void;

/** All that can be chosen: what the store has, and what the address names already. */
function optionsOf(
  items: readonly ModelItem[],
  columns: History | null,
  runs: readonly Run[],
  asked: Asked,
): Record<Exclude<Filter, "model">, string[]> {
  const collect = (filter: Filter, pick: (item: ModelItem) => string[]) => [
    ...new Set([...items.flatMap(pick), ...asked.filters[filter]]),
  ];
  const known = (columns?.accelerators ?? []).flatMap((one) =>
    one.groups.map((group) => ({ column: group.column ?? "", backend: group.backend ?? "" })),
  );
  const order = new Map(known.map((one) => [one.column, one.backend]));
  return {
    accelerator_model: collect("accelerator_model", (item) => item.accelerator_models).sort(),
    suite: collect("suite", (item) => [item.suite]).sort(),
    test: collect("test", (item) => item.tests).sort(testOrder),
    backend: collect("backend", (item) => item.backends).sort(byBackend),
    // Where every backend has one configuration, configurations are no choice.
    column: [
      ...new Set([
        ...(known.some((one) => one.column !== one.backend) ? known.map((one) => one.column) : []),
        ...asked.filters.column,
      ]),
    ].sort((a, b) => byBackend(order.get(a) ?? a, order.get(b) ?? b) || (a < b ? -1 : 1)),
    label: [...new Set([...labelSlices(runs), ...asked.filters.label])],
  };
}

function Measures({
  asked,
  registry,
  choose,
  set,
}: {
  asked: Asked;
  registry: readonly MetricInfo[];
  choose: Choose;
  set: SetQuery;
}) {
  const results = [
    ...RESULT_METRICS,
    ...registry.map((one) => ({ value: RAW + one.metric, text: `as written: ${one.metric}` })),
  ];
  if (asked.view === "changes") {
    return (
      <>
        <Select label="Of" value={asked.of} options={results} onChange={(value) => choose("of", value)} />
        <SpanChoice asked={asked} choose={choose} />
      </>
    );
  }
  if (asked.view === "scatter") {
    const axes = results.flatMap((metric) =>
      (["after", "before"] as const).map((end) => ({
        value: writeAxis({ metric: metric.value, end }),
        text: `${metric.text}, ${endWord(end)}`,
      })),
    );
    const axis = (key: "x" | "y", label: string, value: AxisChoice) => (
      <Select label={label} value={writeAxis(value)} options={axes} onChange={(next) => choose(key, next)} />
    );
    return (
      <>
        {axis("x", "Across", asked.x)}
        {axis("y", "Up", asked.y)}
        <SpanChoice asked={asked} choose={choose} />
      </>
    );
  }
  const metrics = [
    ...GROUP_METRICS.map((metric) => ({ value: metric.key, text: metric.name })),
    ...results.map((metric) => ({
      value: writeMeasure({ kind: "each", key: metric.value }),
      text: `each result, ${metric.text}`,
    })),
  ];
  return (
    <>
      <Select
        label="Number"
        value={writeMeasure(asked.measure)}
        options={metrics}
        onChange={(value) => choose("metric", value)}
        wide
      />
      {asked.measure.kind === "group" && (
        <Toggles
          label={`By, at most ${MOST_DIMENSIONS}`}
          on={asked.by}
          options={DIMENSIONS.map((value) => ({ value, text: dimensionWord(value) }))}
          onChange={(on) => {
            // The last one chosen stands; of two that were there the first gives way.
            const by = on.length > MOST_DIMENSIONS ? on.slice(-MOST_DIMENSIONS) : on;
            set({ by: by.length === 0 ? NO_DIMENSION : by.join(",") === DEFAULTS.by ? null : by.join(",") });
          }}
        />
      )}
    </>
  );
}

const SpanChoice = ({ asked, choose }: { asked: Asked; choose: Choose }) => (
  <Select
    label="First and last"
    value={asked.span}
    options={["1", "3", "7", "14", "30"].map((value) => ({ value, text: value === "1" ? "run" : `${value} runs` }))}
    onChange={(value) => choose("span", value)}
  />
);

const FILTER_WORDS: Record<"suite" | "test" | "backend" | "column" | "label", string> = {
  suite: "Suites",
  test: "Tests",
  backend: "Backends",
  column: "Configurations",
  label: "Runs with",
};

/** Any of several; none chosen is all. */
function Any({
  filter,
  asked,
  options,
  set,
}: {
  filter: keyof typeof FILTER_WORDS;
  asked: Asked;
  options: string[];
  set: SetQuery;
}) {
  const on = asked.filters[filter];
  const text = (value: string) =>
    filter === "test" ? testName(value) : filter === "label" ? value.replace(":", " ") : shown(value);
  const what = on.length === 0 ? "all" : on.length <= 2 ? on.map(text).join(", ") : `${on.length} of ${options.length}`;
  return (
    <div class="field">
      <span aria-hidden="true">{FILTER_WORDS[filter]}</span>
      <Menu
        label={
          <>
            <span class="sr">{FILTER_WORDS[filter]}: </span>
            <span class="clip">{what}</span>
          </>
        }
      >
        <fieldset>
          <legend>{FILTER_WORDS[filter]}; none ticked: all</legend>
          {options.map((value) => (
            <Check
              key={value}
              label={text(value)}
              checked={on.includes(value)}
              onChange={(checked) => set({ [filter]: checked ? [...on, value] : on.filter((one) => one !== value) })}
            />
          ))}
          {on.length > 0 && (
            <button type="button" class="link" onClick={() => set({ [filter]: null })}>
              all
            </button>
          )}
        </fieldset>
      </Menu>
    </div>
  );
}

/** Models by name: each one chosen is a button that takes it away. */
function ModelChoice({ items, asked, set }: { items: readonly ModelItem[]; asked: Asked; set: SetQuery }) {
  const [text, setText] = useState("");
  const on = asked.filters.model;
  const names = useMemo(
    () =>
      [
        ...new Set(
          items
            .filter((item) => asked.filters.suite.length === 0 || asked.filters.suite.includes(item.suite))
            .map((item) => item.model),
        ),
      ].sort(),
    [items, asked.filters.suite.join("\n")],
  );
  const add = (name: string) => {
    if (!names.includes(name) || on.includes(name)) return false;
    setText("");
    // A model whose suite is known is looked for there.
    const suites = [...new Set(items.filter((item) => item.model === name).map((item) => item.suite))];
    set({
      model: [...on, name],
      ...(on.length === 0 && suites.length === 1 && asked.filters.suite.length === 0 ? { suite: suites } : {}),
    });
    return true;
  };
  return (
    <div class="field">
      <label for="explore-model">Models</label>
      <span class="chosen">
        {on.map((name) => (
          <button
            type="button"
            class="button mono"
            key={name}
            title={`${name}: take away`}
            onClick={() => set({ model: on.filter((one) => one !== name) })}
          >
            {shown(name)} <span aria-hidden="true">×</span>
            <span class="sr">take away</span>
          </button>
        ))}
        <input
          id="explore-model"
          type="text"
          list="explore-models"
          value={text}
          placeholder={on.length ? "another" : "all"}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            const { value } = event.currentTarget;
            // Chosen from the list; what is typed waits for Enter, as one name may begin another.
            if (
              !(event instanceof InputEvent && event.inputType && event.inputType !== "insertReplacementText") &&
              add(value)
            )
              return;
            setText(value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !add(text)) {
              const found = names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
              if (text && found.length === 1) add(found[0] as string);
            }
            if (event.key === "Escape") setText("");
          }}
        />
        <datalist id="explore-models">
          {names.slice(0, 3000).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </span>
    </div>
  );
}

function Dates({ asked, set }: { asked: Asked; set: SetQuery }) {
  const field = (key: "since" | "until", label: string) => (
    <label class="field">
      <span>{label}</span>
      <input type="date" value={asked[key]} onChange={(event) => set({ [key]: event.currentTarget.value || null })} />
    </label>
  );
  return (
    <>
      {field("since", "From")}
      {field("until", "to")}
    </>
  );
}

function TakeAlong({ taken }: { taken: Taken | null }) {
  const [working, setWorking] = useState(false);
  if (!taken) return null;
  const svg = () => `<?xml version="1.0" encoding="UTF-8"?>\n${svgText(taken.picture(location.href))}\n`;
  const png = () => {
    setWorking(true);
    savePng(fileName(taken.name, "png"), svg())
      .then(() => announce("The picture is saved"))
      .catch((error: Error) => announce(`No picture: ${error.message}`))
      .finally(() => setWorking(false));
  };
  return (
    <div class="explore-take" role="group" aria-label="Take along">
      <span class="quiet">All digits:</span>
      <a
        class="button"
        href={taken.csv}
        download={fileName(taken.name, "csv")}
        data-export
        title="The same rows with all digits, as CSV (e)"
      >
        CSV
      </a>
      <a class="button" href={taken.json} download={fileName(taken.name, "json")}>
        JSON
      </a>
      <span class="quiet">The drawing:</span>
      <button type="button" class="button" onClick={() => saveSvg(fileName(taken.name, "svg"), svg())}>
        SVG
      </button>
      <button type="button" class="button" disabled={working} onClick={png}>
        PNG
      </button>
      <MarkdownButton />
    </div>
  );
}
