// Whoever changes something does so in their name.
import { useState } from "preact/hooks";
import { atOnce } from "../lib/modal";
import { setWho, who } from "../lib/who";
import { TextDialog } from "./text_dialog";

export type Named = {
  /** The name, asked for the first time; "" where somebody would not say, null where they cancelled. */
  named: () => Promise<string | null>;
  /** Asks for the name; to be drawn somewhere. */
  dialog: preact.ComponentChildren;
};

export function useNamed(): Named {
  const [waiting, setWaiting] = useState<{ answer: (name: string | null) => void } | null>(null);
  const close = (name: string | null) => {
    setWaiting(null);
    waiting?.answer(name);
  };
  return {
    named: () => {
      const name = who();
      if (name !== null) return Promise.resolve(name);
      return new Promise((answer) => atOnce(() => setWaiting({ answer })));
    },
    dialog: waiting && (
      <TextDialog
        title="Your name"
        note="Your name stands beside what you say of alerts and runs. This browser remembers it; it is asked for once."
        label="Name"
        button="Continue"
        onText={(name) => {
          setWho(name);
          close(who() ?? "");
        }}
        onClose={() => close(null)}
      />
    ),
  };
}
