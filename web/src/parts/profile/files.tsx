// The files behind a profile: where each was found, how large it is, what is wrong with it.
import type { Artifact } from "../../api/types";
import { bytes, count, full, hoverText, plural, runName } from "../../lib/format";
import { kindName, KINDS } from "../../lib/profile";
import { artifactHref, profileHref, traceHref } from "../../lib/route";
import { Missing, Time } from "../small";
import { type Column, Table } from "../table";
import { rawUrl } from "./text";

export function ArtifactState({ artifact }: { artifact: Artifact }) {
  if (artifact.unreadable !== null)
    return (
      <span class="worse clip" title={hoverText(artifact.unreadable)}>
        ✗ unreadable: {artifact.unreadable}
      </span>
    );
  if (artifact.problem_count > 0)
    return (
      <a class="warn" href={artifactHref(artifact)}>
        ! {plural(artifact.problem_count, "problem")}
      </a>
    );
  if (artifact.superseded)
    return (
      <span class="quiet" title="A later dump of the same name belongs to the same results">
        superseded
      </span>
    );
  return <span class="quiet">read</span>;
}

/** Whose it is. `own`: on the page of a result, where only others are worth a word. */
export function Owners({ artifact, own = false }: { artifact: Artifact; own?: boolean }) {
  const { results } = artifact;
  if (!results.length)
    return (
      <span
        class="warn"
        title="No result of that name was taken in: ingest its results.jsonl, or say whose it is with benchhud ingest FILE --for RESULT"
      >
        orphaned
      </span>
    );
  if (results.length > 1)
    return (
      <a href={artifactHref(artifact)} title="Its name fits several experiments, which differ in what it does not tell">
        shared by {count(results.length)}
      </a>
    );
  if (own) return <span class="quiet">this result</span>;
  const [result] = results;
  if (!result) return null;
  return (
    <a
      class="mono"
      href={profileHref(result.run.id, result.experiment_id)}
      title={`The profile of its result in run ${result.run.name}`}
    >
      {runName(result.run)}
    </a>
  );
}

export function artifactColumns(options: { now?: number; own?: boolean }): Column<Artifact>[] {
  return [
    {
      key: "name",
      title: "File",
      width: 360,
      sort: (one) => one.name,
      cell: (one) => (
        <a class="mono clip from-end" href={artifactHref(one)} title={one.name}>
          <bdi>{one.name}</bdi>
        </a>
      ),
    },
    {
      key: "kind",
      title: "Kind",
      width: 132,
      sort: (one) => one.kind,
      cell: (one) => <span title={KINDS[one.kind]?.words}>{kindName(one.kind)}</span>,
    },
    {
      key: "repetition",
      title: "Repetition",
      width: 96,
      align: "right",
      sort: (one) => one.repetition,
      cell: (one) =>
        one.repetition === null ? (
          <Missing flush why="of all repetitions, or none was told" />
        ) : (
          <span class="num">{one.repetition}</span>
        ),
    },
    {
      key: "size",
      title: "Size",
      width: 96,
      align: "right",
      first: "desc",
      sort: (one) => one.byte_count,
      cell: (one) => (
        <span class="num" title={`${full(one.byte_count)} bytes, decompressed`}>
          {bytes(one.byte_count)}
        </span>
      ),
    },
    {
      key: "state",
      title: "State",
      width: 150,
      sort: (one) => (one.unreadable !== null ? 0 : one.problem_count > 0 ? 1 : one.superseded ? 3 : 2),
      cell: (one) => <ArtifactState artifact={one} />,
    },
    {
      key: "whose",
      title: "Belongs to",
      width: 150,
      sort: (one) => one.results.length,
      cell: (one) => <Owners artifact={one} own={options.own ?? false} />,
    },
    {
      key: "at",
      title: "Taken in (UTC)",
      width: options.now === undefined ? 140 : 236,
      first: "desc",
      sort: (one) => one.at,
      cell: (one) => <Time at={one.at} {...(options.now === undefined ? {} : { now: options.now })} />,
    },
    {
      key: "text",
      title: "Look",
      width: 80,
      cell: (one) =>
        one.has_text ? (
          <a href={rawUrl(one.id)} target="_blank" rel="noopener">
            raw<span class="sr"> text of {one.name}</span>
          </a>
        ) : one.trace_id !== null ? (
          <a href={traceHref(one.trace_id)}>
            timeline<span class="sr"> of {one.name}</span>
          </a>
        ) : (
          <Missing flush why="nothing of it could be kept" />
        ),
    },
  ];
}

export function Files({ artifacts }: { artifacts: Artifact[] }) {
  return (
    <Table
      caption="Files of this result"
      columns={artifactColumns({ own: true })}
      rows={artifacts}
      rowKey={(one) => String(one.id)}
      rowHref={artifactHref}
      sortKey="fs"
      orderWords="newest first"
    />
  );
}
