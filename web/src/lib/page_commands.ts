// Commands that only the page that is open has: the palette offers them before those that are everywhere.
import { useEffect, useState } from "preact/hooks";
import type { SearchCommand } from "../parts/search";

const EVENT = "hud:page-commands";
let known: SearchCommand[] = [];

const set = (commands: SearchCommand[]): void => {
  known = commands;
  dispatchEvent(new Event(EVENT));
};

/** The page's commands while it is open. The same array is the same commands. */
export function usePageCommands(commands: SearchCommand[]): void {
  useEffect(() => {
    set(commands);
    return () => set([]);
  }, [commands]);
}

/** For the frame: the commands of the page that is open. */
export function usePagesCommands(): SearchCommand[] {
  const [commands, setCommands] = useState(known);
  useEffect(() => {
    const update = () => setCommands(known);
    update();
    addEventListener(EVENT, update);
    return () => removeEventListener(EVENT, update);
  }, []);
  return commands;
}
