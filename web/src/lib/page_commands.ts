// Commands that only the page that is open has: the palette offers them before those that are everywhere.
import { useLayoutEffect, useState } from "preact/hooks";
import { type SearchCommand, tab } from "./tab";

const EVENT = "hud:page-commands";

const set = (commands: SearchCommand[]): void => {
  tab.commands = commands;
  dispatchEvent(new Event(EVENT));
};

/** The page's commands while it is open. The same array is the same commands. */
export function usePageCommands(commands: SearchCommand[]): void {
  // With what is drawn: the palette may be opened as soon as the page is seen.
  useLayoutEffect(() => {
    set(commands);
    return () => set([]);
  }, [commands]);
}

/** For the frame: the commands of the page that is open. */
export function usePagesCommands(): SearchCommand[] {
  const [commands, setCommands] = useState(tab.commands);
  useLayoutEffect(() => {
    const update = () => setCommands(tab.commands);
    update();
    addEventListener(EVENT, update);
    return () => removeEventListener(EVENT, update);
  }, []);
  return commands;
}
