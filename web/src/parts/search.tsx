// Search with one key over everything that has a name: what fits shows as one types, what was chosen before until then.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address } from "../api/address";
import type { SearchAnswer, SearchHit, SearchKind } from "../api/types";
import { useApi } from "../api/use";
import { count, date, plural } from "../lib/format";
import { isTyping, plainKey } from "../lib/keys";
import { atOnce, useModal } from "../lib/modal";
import { go, href } from "../lib/route";
import {
  KINDS,
  askable,
  fits,
  highlighted,
  hitHref,
  hitTitle,
  rankOf,
  recentChoices,
  remember,
  searchedText,
} from "../lib/search";
import type { Recent, SearchCommand } from "../lib/tab";

type SearchPage = { path: string; name: string; key?: string; words?: string };

type Choice = {
  id: string;
  title: string;
  context: string;
  kind: string;
  mono: boolean;
  href: string | null;
  run?: () => void;
  keys?: string;
};
type ChoiceGroup = { name: string; rank: number; choices: Choice[]; more?: number };

/** So many of each kind stand in the palette; all of them on the page. */
const OF_EACH = 5;

/** The letters that were typed stand out. */
export function Highlight({ text, typed }: { text: string; typed: string }) {
  return (
    <>
      {highlighted(text, typed).map((piece, index) => (piece.on ? <mark key={index}>{piece.text}</mark> : piece.text))}
    </>
  );
}

/** What stands out beside a title: nothing where the title fits by itself. */
export const beside = (title: string, typed: string): string =>
  title.toLowerCase().includes(typed.toLowerCase()) ? "" : typed;

const isMono = (kind: SearchKind): boolean => !["alert", "accelerator"].includes(kind);

const ofHit = (kind: SearchKind, hit: SearchHit): Choice => {
  const target = hitHref(kind, hit.address);
  return {
    id: target,
    title: hitTitle(kind, hit),
    context: hit.context,
    kind: KINDS[kind].one,
    mono: isMono(kind),
    href: target,
  };
};

function ofStore(answer: SearchAnswer): ChoiceGroup[] {
  return answer.groups.map((group) => ({
    name: KINDS[group.kind].many,
    rank: rankOf(group.items[0]?.match ?? "nearly"),
    choices: group.items.map((hit) => ofHit(group.kind, hit)),
    more: group.total - group.items.length,
  }));
}

const ofPage = (page: SearchPage): Choice => ({
  id: page.path,
  title: page.name,
  context: "",
  kind: "page",
  mono: false,
  href: page.path,
  keys: page.key ? `g ${page.key}` : undefined,
});
const ofCommand = (command: SearchCommand): Choice => ({
  id: `!${command.name}`,
  title: command.name,
  context: "",
  kind: "key",
  mono: false,
  href: null,
  run: command.run,
  keys: command.key,
});

/** Pages and keys that fit, the best first. */
function ofOurs(typed: string, pages: SearchPage[], commands: SearchCommand[]): ChoiceGroup | null {
  const found = [
    ...pages.map((page) => ({ choice: ofPage(page), words: page.words })),
    ...commands.map((command) => ({ choice: ofCommand(command), words: command.words })),
  ]
    .map(({ choice, words }) => ({ choice, match: fits(typed, choice.title, `${words ?? ""} ${choice.kind}`) }))
    .filter((one): one is { choice: Choice; match: SearchHit["match"] } => one.match !== null)
    .sort((a, b) => rankOf(a.match) - rankOf(b.match));
  const [first] = found;
  return first ? { name: "pages and keys", rank: rankOf(first.match), choices: found.map((one) => one.choice) } : null;
}

const ofRecent = (recent: Recent): Choice => ({
  id: recent.href,
  title: recent.title,
  context: recent.context,
  kind: recent.kind,
  mono: false,
  href: recent.href,
});

type Props = { pages: SearchPage[]; commands: SearchCommand[] };

/** The field in the frame, and the palette that it and its keys open. */
export function Search({ pages, commands }: Props) {
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const slash = event.key === "/" && !isTyping(event) && plainKey(event);
      const control =
        event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if ((!slash && !control) || document.querySelector("dialog[open]:not(.palette)")) return;
      event.preventDefault();
      atOnce(() => setOpen(true));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class="search" role="search">
      <button
        type="button"
        class="search-open"
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Control+K Meta+K"
        title="Search everything (/ or Ctrl K)"
        onClick={() => atOnce(() => setOpen(true))}
      >
        <span>Search</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      {open && <Palette pages={pages} commands={commands} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Palette({ pages, commands, onClose }: Props & { onClose: () => void }) {
  const dialog = useModal(onClose);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [recent] = useState(recentChoices);
  const isGoing = useRef(false);
  const typed = askable(text);
  const answer = useApi(typed ? address("/search", { q: typed, limit: OF_EACH }) : null);

  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  // While the answer to a longer word is on its way, the last one stays: what is not right any more stands greyed.
  const data = typed ? answer.data : null;
  const groups: ChoiceGroup[] = [];
  if (typed) {
    if (data) groups.push(...ofStore(data));
    const ours = ofOurs(typed, pages, commands);
    if (ours) groups.splice(data?.nearly ? 0 : groups.filter((group) => group.rank <= ours.rank).length, 0, ours);
  } else {
    if (recent.length) groups.push({ name: "chosen before", rank: 0, choices: recent.map(ofRecent) });
    groups.push(
      { name: "pages", rank: 0, choices: pages.map(ofPage) },
      { name: "keys", rank: 0, choices: commands.map(ofCommand) },
    );
  }
  const flat = groups.flatMap((group) => group.choices);
  const place = Math.min(chosen, flat.length - 1);
  const all = data && data.total > 0 ? href("/search", { q: typed }) : null;

  const leave = (choice: Choice) => {
    if (choice.href) remember({ href: choice.href, kind: choice.kind, title: choice.title, context: choice.context });
    // At once, not with the next drawing: keys pressed from here on belong to the page again.
    atOnce(onClose);
  };
  const follow = (choice: Choice | undefined) => {
    if (!choice) return;
    leave(choice);
    if (choice.href) {
      go(choice.href);
      scrollTo(0, 0);
      // After the palette gave the focus back.
    } else setTimeout(() => choice.run?.());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (flat.length) setChosen((place + (event.key === "ArrowDown" ? 1 : flat.length - 1)) % flat.length);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      // What stands there may still be of the letters before: then as soon as it is not.
      if (typed && answer.late) {
        isGoing.current = true;
        return;
      }
      const choice = flat[place];
      if (choice?.href && (event.ctrlKey || event.metaKey)) open(choice.href, "_blank", "noopener");
      else if (choice) follow(choice);
    }
  };
  useEffect(() => {
    if (!isGoing.current || answer.late) return;
    isGoing.current = false;
    follow(flat[place]);
  });
  let index = -1;
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="palette-head">
        <input
          type="text"
          autofocus
          value={text}
          placeholder="Search models, runs, commits, alerts, errors, pages…"
          aria-label="Search models, suites, backends, runs, labels, alerts, errors, dumps, metrics, pages and keys"
          role="combobox"
          aria-expanded="true"
          aria-controls="search-hits"
          aria-autocomplete="list"
          aria-activedescendant={place >= 0 ? `hit-${place}` : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="go"
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
            isGoing.current = false;
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="palette-close" onClick={onClose}>
          Close
        </button>
      </div>
      <div class="palette-hits" tabIndex={-1}>
        {data?.nearly && <p class="palette-note quiet">Nothing is called just that; with a letter changed:</p>}
        <div id="search-hits" role="listbox" aria-label="Found" class={answer.late && typed ? "late" : ""}>
          {groups.map((group) => (
            <div role="group" aria-label={group.name} key={group.name}>
              <div class="palette-group" aria-hidden="true">
                {group.name}
                {!!group.more && all && <span> · {count(group.more)} more</span>}
              </div>
              {group.choices.map((choice) => {
                const own = ++index;
                return (
                  <Option
                    key={choice.id}
                    choice={choice}
                    typed={typed}
                    id={`hit-${own}`}
                    on={own === place}
                    onChosen={() => setChosen(own)}
                    follow={follow}
                    leave={leave}
                  />
                );
              })}
            </div>
          ))}
        </div>
        {typed && data && flat.length === 0 && (
          <div class="palette-note">
            <p>Nothing is called that.</p>
            <p class="quiet">
              Searched {searchedText(data.searched, count)}. Any part of a name will do, in any letters; a commit is
              found by its beginning, an alert by its number, a run by its date.
            </p>
          </div>
        )}
        {typed && answer.error && (
          <p class="palette-note warn" role="alert">
            {answer.error.message} Only pages and keys are found now.
          </p>
        )}
        {!typed && (
          <p class="palette-note quiet">
            Finds models, suites, backends, runs, labels (commits, branches, versions), alerts and their notes, errors,
            dumps and metrics by any part of their names.
          </p>
        )}
      </div>
      <div class="palette-foot quiet">
        <span class="palette-keys">
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> opens <kbd>Esc</kbd> closes
        </span>
        {all ? (
          <a href={all} onClick={onClose}>
            All {plural(data?.total ?? 0, "hit")} on a page
          </a>
        ) : (
          <span />
        )}
      </div>
      <p class="sr" role="status">
        {typed && data && !answer.late ? (flat.length ? `${plural(flat.length, "hit")} shown` : "Nothing found") : ""}
      </p>
    </dialog>
  );
}

type OptionProps = {
  choice: Choice;
  typed: string;
  id: string;
  on: boolean;
  onChosen: () => void;
  follow: (choice: Choice) => void;
  leave: (choice: Choice) => void;
};

/** A link, so that it can be opened beside; what is no page is done. */
function Option({ choice, typed, id, on, onChosen, follow, leave }: OptionProps) {
  return (
    <a
      id={id}
      role="option"
      aria-selected={on}
      tabIndex={-1}
      href={choice.href ?? undefined}
      onPointerMove={onChosen}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return leave(choice);
        event.preventDefault();
        follow(choice);
      }}
    >
      <span class={`hit-title${choice.mono ? " mono" : ""}`}>
        <Highlight text={choice.title} typed={typed} />
      </span>
      <span class="hit-context quiet">
        <Highlight text={choice.context} typed={beside(choice.title, typed)} />
      </span>
      <span class="hit-kind quiet">
        {choice.keys ? choice.keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>) : choice.kind}
      </span>
    </a>
  );
}

/** When a thing was last there, for lists. */
export const hitDate = (hit: SearchHit): string => (hit.at ? date(hit.at) : "");
