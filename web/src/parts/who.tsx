// Whoever changes something does so in their name.
import { useState } from "preact/hooks";
import { atOnce } from "../lib/modal";
import { setWho, who } from "../lib/who";
import { TextDialog } from "./text_dialog";

export type Named = {
  /** Does it, once there is a name or somebody would not say. */
  named: (act: (who: string) => void) => void;
  /** Asks for the name, the first time; to be drawn somewhere. */
  dialog: preact.ComponentChildren;
};

export function useNamed(): Named {
  const [waiting, setWaiting] = useState<{ act: (who: string) => void } | null>(null);
  return {
    named: (act) => {
      const name = who();
      if (name === null) atOnce(() => setWaiting({ act }));
      else act(name);
    },
    dialog: waiting && (
      <TextDialog
        title="Who are you?"
        note="Your name stands beside what you say of alerts and nights. This browser remembers it; it is asked for once."
        label="Name"
        button="Go on"
        onText={(name) => {
          setWho(name);
          setWaiting(null);
          waiting.act(who() ?? "");
        }}
        onClose={() => setWaiting(null)}
      />
    ),
  };
}
