// A table without sorting, for what is read from top to bottom: it scrolls sideways in its own box, by keys too.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useMoreSign } from "../lib/hooks";

export type Head = { title: ComponentChildren; hint?: string | undefined; right?: boolean; class?: string };

type Props = {
  /** What a screen reader calls it. */
  caption: string;
  /** One row of heads; where there are several, or none, `children` begins with them. */
  heads?: Head[];
  class?: string;
  /** Greyed, while the numbers that were asked for are on their way. */
  late?: boolean;
  children: ComponentChildren;
};

export function PlainTable({ caption, heads, class: more, late = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useMoreSign(box);
  return (
    <div ref={box} class={late ? "scroll late" : "scroll"} tabIndex={0} role="region" aria-label={caption}>
      <table class={more ? `plain ${more}` : "plain"}>
        <caption class="sr">{caption}</caption>
        {heads && (
          <thead>
            <tr>
              {heads.map((head, index) =>
                head.title ? (
                  <th
                    scope="col"
                    key={index}
                    class={[head.right ? "right" : "", head.class ?? ""].join(" ").trim() || undefined}
                    title={head.hint}
                  >
                    {head.title}
                  </th>
                ) : (
                  <td key={index} class={head.class} />
                ),
              )}
            </tr>
          </thead>
        )}
        {children}
      </table>
    </div>
  );
}
