// All that a search finds, at an address that can be shared.
import { useEffect, useRef } from "preact/hooks";
import { address } from "../api/address";
import type { SearchAnswer, SearchKind } from "../api/types";
import { useApi } from "../api/use";
import { capital } from "../lib/words";
import { count, plural } from "../lib/format";
import { useTitle } from "../lib/hooks";
import { useQuery } from "../lib/route";
import { KINDS, askable, hitHref, hitTitle, searchedText } from "../lib/search";
import { PlainTable } from "../parts/plain_table";
import { Highlight, beside, hitDate } from "../parts/search";
import { ErrorNote, Missing, Section, Waiting } from "../parts/small";

/** So many of each kind; more of them say that there are more. */
const OF_EACH = 200;

/** What the time of a hit is. */
const TIMES: Partial<Record<SearchKind, string>> = { run: "Started", alert: "Began", artifact: "Taken in" };

function sentence(answer: SearchAnswer): string {
  const { query, total, groups } = answer;
  if (total === 0) return `Nothing is called “${query}”.`;
  const parts = groups.map(
    (group) => `${count(group.total)} ${group.total === 1 ? KINDS[group.kind].one : KINDS[group.kind].many}`,
  );
  const listed = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}` : parts[0];
  return answer.nearly
    ? `Nothing is called just “${query}”; with a letter changed: ${listed}.`
    : `“${query}” is found in ${listed}.`;
}

export function SearchPage() {
  const [query, setQuery] = useQuery();
  const text = query.get("q") ?? "";
  const typed = askable(text);
  const { data, late, error, again } = useApi(typed ? address("/search", { q: typed, limit: OF_EACH }) : null);
  useTitle(typed ? `Search: ${typed}` : "Search");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!typed) input.current?.focus();
  }, []);
  return (
    <div>
      <header class="page-head">
        <h1 class={late ? "late" : ""}>
          {!typed ? "Search everything that has a name." : data ? sentence(data) : "Searching."}
        </h1>
        <div class="toolbar">
          <label class="field search-field">
            <span>Search</span>
            <input
              ref={input}
              type="search"
              value={text}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => setQuery({ q: event.currentTarget.value || null }, true)}
            />
          </label>
        </div>
      </header>
      {error && <ErrorNote error={error} again={again} kept={data !== null} />}
      {!typed ? (
        <p class="quiet">
          Models, suites, backends, accelerators, runs, labels (commits, branches, versions), alerts with their notes
          and owners, errors, dumps and metrics. Any part of a name will do.
        </p>
      ) : !data ? (
        !error && <Waiting rows={8} />
      ) : (
        <div class={late ? "late" : ""}>
          {data.total === 0 && (
            <p class="quiet">
              Searched {searchedText(data.searched, count)}. Any part of a name will do, in any letters; a commit is
              found by its beginning, an alert by its number, a run by its date.
            </p>
          )}
          {data.groups.map((group) => (
            <Section
              key={group.kind}
              id={`found-${group.kind}`}
              title={
                <>
                  {capital(KINDS[group.kind].many)} <span class="quiet">{count(group.total)}</span>
                </>
              }
              note={
                group.total > group.items.length
                  ? `The first ${plural(group.items.length, "hit")}; more letters narrow it down.`
                  : null
              }
            >
              <PlainTable
                caption={`${capital(KINDS[group.kind].many)} that fit`}
                class="found"
                heads={[
                  { title: capital(KINDS[group.kind].one) },
                  { title: "About" },
                  { title: TIMES[group.kind] ?? "Last run" },
                ]}
              >
                <tbody>
                  {group.items.map((hit) => (
                    <tr key={hitHref(group.kind, hit.address)}>
                      <th scope="row">
                        <a class={group.kind === "alert" ? "" : "mono"} href={hitHref(group.kind, hit.address)}>
                          <Highlight text={hitTitle(group.kind, hit)} typed={typed} />
                        </a>
                      </th>
                      <td class="quiet">
                        <Highlight text={hit.context} typed={beside(hit.title, typed)} />
                      </td>
                      <td>{hitDate(hit) || <Missing why="it is not of a time" />}</td>
                    </tr>
                  ))}
                </tbody>
              </PlainTable>
            </Section>
          ))}
        </div>
      )}
    </div>
  );
}
