// The frame of every page: navigation, search, theme, the list of keys.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address } from "./api/address";
import { useLive } from "./lib/live";
import { useApi } from "./api/use";
import type { Link } from "./api/types";
import { ANNOUNCED, type Announced, announce } from "./lib/announce";
import { usePlainKeys } from "./lib/hooks";
import { ALERT_KEYS, KEYS, claimedHelp, isClaimed, isTyping, plainKey } from "./lib/keys";
import { Links } from "./lib/links";
import { atOnce, useModal } from "./lib/modal";
import { usePagesCommands } from "./lib/page_commands";
import { copyMarkdown } from "./lib/page_markdown";
import { go } from "./lib/route";
import { plural } from "./lib/format";
import { nextTheme, setTheme, useTheme } from "./lib/theme";
import { PAGES } from "./pages";
import { SignInPage } from "./pages/sign_in";
import { PinBar } from "./parts/pins";
import { useSession, useSignIn } from "./parts/session";
import type { SearchCommand } from "./lib/tab";
import { Search } from "./parts/search";

const NO_LINKS: Link[] = [];
/** What is found by its name. */
const SEARCHED = PAGES.flatMap(({ path, name, key, words }) => (name ? [{ path, name, key, words }] : []));

/** A page that claims m for itself leaves y. */
const markdownKey = (): string => (isClaimed("m") ? "y" : "m");

function exportTable(): void {
  const link = document.querySelector<HTMLAnchorElement>("main [data-export]");
  if (link) link.click();
  else announce("This page has no table to export.");
}

type Props = { path: string; fillsWindow: boolean; children: ComponentChildren };

export function Shell({ path, fillsWindow, children }: Props) {
  const [help, setHelp] = useState(false);
  const { chosen, dark } = useTheme();
  const waitingForGo = useRef(0);

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      // After g a letter is neither ours nor the page's.
      if (Date.now() - waitingForGo.current < 1500 && !event.ctrlKey && !event.metaKey && !event.altKey) {
        waitingForGo.current = 0;
        const page = PAGES.find((one) => one.key === event.key);
        if (page) {
          event.preventDefault();
          go(page.path);
          scrollTo(0, 0);
          return;
        }
      }
      if (!plainKey(event)) return;
      if (event.key === "g") waitingForGo.current = Date.now();
      else if (event.key === "?") atOnce(() => setHelp((open) => !open));
      else if (event.key === "t") setTheme(nextTheme());
      else if (event.key === markdownKey() && !document.querySelector("dialog[open]")) void copyMarkdown();
    };
    // Before the pages' own keys: after g, a letter is not theirs.
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, []);
  usePlainKeys((event) => {
    if (event.key === "e" && !document.querySelector("dialog[open]")) exportTable();
  });
  const commands: SearchCommand[] = [
    ...usePagesCommands(),
    { name: "Copy the page as Markdown", key: markdownKey(), words: "issue export", run: () => void copyMarkdown() },
    { name: "Export the table as CSV", key: "e", words: "download", run: exportTable },
    { name: `Theme: ${nextTheme()}`, key: "t", words: "dark light auto colours", run: () => setTheme(nextTheme()) },
    { name: "Keys", key: "?", words: "help shortcuts keyboard", run: () => setHelp(true) },
  ];
  const { store, silentSince, newVersion } = useLive();
  const waiting = store?.attention_count ?? 0;

  const session = useSession();
  const signIn = useSignIn();
  const isShut = session?.reading === "token" && !session.signed_in;

  const links = useApi(address("/links")).data?.items ?? NO_LINKS;

  return (
    <Links.Provider value={links}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <svg width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
            <path
              d="M2 12.5 5.5 8 8 10.3 13 4"
              fill="none"
              stroke="currentColor"
              stroke-width="1.7"
              stroke-linecap="round"
              stroke-linejoin="round"
            />
            <circle cx="13" cy="4" r="1.9" fill="#d55e00" />
          </svg>
          benchhud
        </a>
        <nav aria-label="Pages">
          {PAGES.filter((page) => page.isInNavigation).map((page) => {
            const on = page.path === "/" ? path === "/" : path === page.path || path.startsWith(page.path + "/");
            return (
              <a key={page.path} href={page.path} aria-current={on ? "page" : undefined} title={`g ${page.key}`}>
                {page.name}
                {page.path === "/alerts" && waiting > 0 && (
                  <span
                    class="nav-count"
                    title={`${plural(waiting, "alert")} ${waiting === 1 ? "needs" : "need"} attention`}
                  >
                    {waiting}
                    <span class="sr"> need attention</span>
                  </span>
                )}
              </a>
            );
          })}
        </nav>
        <Search pages={SEARCHED} commands={commands} />
        <div class="top-actions">
          <button
            type="button"
            class="icon"
            onClick={() => setTheme(nextTheme())}
            title={`Theme: ${chosen}. Click for ${nextTheme()} (t)`}
            aria-label={`Theme: ${chosen}; change to ${nextTheme()}`}
          >
            <span aria-hidden="true">{chosen === "auto" ? "◐" : dark ? "☾" : "☀"}</span>
          </button>
          <a
            class="icon"
            href={path === "/sign-in" ? "/sign-in" : signIn}
            title={session?.signed_in ? `Signed in as ${session.name}` : "Sign in"}
            aria-label={session?.signed_in ? `Signed in as ${session.name}` : "Sign in"}
          >
            <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
              <g fill={session?.signed_in ? "currentColor" : "none"} stroke="currentColor" stroke-width="1.4">
                <circle cx="8" cy="5" r="2.8" />
                <path d="M2.7 14c.3-3 2.4-4.8 5.3-4.8s5 1.8 5.3 4.8z" stroke-linejoin="round" />
              </g>
            </svg>
          </a>
          <button type="button" class="icon" onClick={() => setHelp(true)} title="Keys (?)" aria-label="Keys">
            <span aria-hidden="true">?</span>
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1} class={fillsWindow ? "whole-window" : undefined}>
        {isShut ? <SignInPage isForced /> : children}
        {!!store?.time_shift_weeks && !fillsWindow && (
          <p class="foot quiet">Sample data: all times are shifted by {plural(store.time_shift_weeks, "week")}.</p>
        )}
      </main>
      <Toast />
      <Undo />
      <p class="silent" role="status">
        {silentSince !== null &&
          `The server has not answered since ${new Date(silentSince).toLocaleTimeString()}. What is shown is from before; it is asked again by itself.`}
      </p>
      {newVersion !== null && (
        <p class="upgraded" role="status">
          benchhud was upgraded to {newVersion} since this tab was opened.{" "}
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      <PinBar />
      {help && <Help onClose={() => setHelp(false)} />}
    </Links.Provider>
  );
}

const TOAST_MS = 4000;

/** What was announced last, for some seconds. It is read out; it takes nothing's place. */
function Toast() {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer = 0;
    const show = (event: Event) => {
      const { text, undo } = (event as CustomEvent<Announced>).detail;
      if (undo) return;
      // Emptied first, so that the same words are read out again.
      setText("");
      clearTimeout(timer);
      requestAnimationFrame(() => setText(text));
      timer = window.setTimeout(() => setText(""), TOAST_MS);
    };
    addEventListener(ANNOUNCED, show);
    return () => {
      clearTimeout(timer);
      removeEventListener(ANNOUNCED, show);
    };
  }, []);
  return (
    <div class="toast" role="status" aria-live="polite">
      {text}
    </div>
  );
}

/** Long enough to read it, to think about it and to reach the button. */
const UNDO_MS = 20_000;
const AGAIN_MS = 1_000;

/** What was done last and can be taken back, until it is, until something else is done, or for some time; while the pointer
 * or the focus is on it, for longer. It keeps a place of its own below the page (parts.css). */
function Undo() {
  const box = useRef<HTMLElement>(null);
  const [said, setSaid] = useState<Announced | null>(null);
  const timer = useRef(0);
  const leave = () => {
    // The focus does not get lost with the button that has it.
    if (box.current?.contains(document.activeElement)) document.getElementById("main")?.focus({ preventScroll: true });
    clearTimeout(timer.current);
    setSaid(null);
  };
  useEffect(() => {
    const show = (event: Event) => {
      const announced = (event as CustomEvent<Announced>).detail;
      if (!announced.undo) return;
      setSaid(null);
      clearTimeout(timer.current);
      requestAnimationFrame(() => setSaid(announced));
      const end = () => {
        if (box.current?.matches(":hover, :focus-within")) timer.current = window.setTimeout(end, AGAIN_MS);
        else setSaid(null);
      };
      timer.current = window.setTimeout(end, UNDO_MS);
    };
    addEventListener(ANNOUNCED, show);
    return () => {
      clearTimeout(timer.current);
      removeEventListener(ANNOUNCED, show);
    };
  }, []);
  const undo = () => {
    leave();
    void said?.undo?.();
  };
  usePlainKeys((event) => {
    if (event.key !== "z" || event.repeat || !said || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    undo();
  });
  // The region is there before it says something: what comes with it is not read out.
  return (
    <aside ref={box} class={`undo-bar${said ? "" : " is-empty"}`} aria-label="What was done last">
      <span role="status">{said?.text}</span>
      {said && (
        <>
          <button type="button" class="button" aria-keyshortcuts="z" onClick={undo}>
            Undo <kbd aria-hidden="true">z</kbd>
          </button>
          <button type="button" class="icon" aria-label="Close" onClick={leave}>
            ✕
          </button>
        </>
      )}
    </aside>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  const dialog = useModal(onClose);
  const own = claimedHelp();
  return (
    <dialog
      ref={dialog}
      class="help"
      onClick={(event) => event.target === event.currentTarget && onClose()}
      aria-labelledby="help-title"
    >
      <div class="help-body">
        <h2 id="help-title" tabIndex={-1} autofocus>
          Keys
        </h2>
        <div class="help-lists">
          <div>
            {own.length > 0 && (
              <>
                <h3>On this page</h3>
                <KeyList keys={own} />
              </>
            )}
            {own.length > 0 && <h3>Everywhere</h3>}
            <KeyList keys={KEYS.filter(([names]) => !names.split(" ").every(isClaimed))} />
          </div>
          <div>
            <h3>On alerts</h3>
            <KeyList keys={ALERT_KEYS} />
          </div>
        </div>
        <p class="quiet">
          The same numbers for programs: <a href="/api">the REST API</a>
        </p>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}

function KeyList({ keys }: { keys: [string, string][] }) {
  return (
    <dl>
      {keys.map(([names, what]) => (
        <>
          <dt>
            {names.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </>
      ))}
    </dl>
  );
}
