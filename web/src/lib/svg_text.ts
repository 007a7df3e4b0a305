// A drawing as the text of an SVG file. Takes what Preact would draw, so that a file and the page show the same.
import { Fragment, type ComponentChildren, type VNode } from "preact";

// What XML cannot hold at all becomes a question mark in a box.
const clean = (text: string): string =>
  text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    "\ufffd",
  );
const escaped = (text: string): string =>
  clean(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

const LEFT_OUT = new Set(["children", "key", "ref", "class", "data-href"]);

/** Components may not use hooks: they are called once, outside of any page. */
export function svgText(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(svgText).join("");
  if (typeof node !== "object") return escaped(String(node));
  const { type, props } = node as VNode<Record<string, unknown>>;
  if (type === Fragment) return svgText(props["children"] as ComponentChildren);
  if (typeof type === "function") return svgText((type as (props: unknown) => ComponentChildren)(props));
  const attributes = Object.entries(props)
    .filter(
      ([name, value]) =>
        !LEFT_OUT.has(name) && !name.startsWith("on") && value !== undefined && value !== null && value !== false,
    )
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
  return `<${type}${attributes}>${svgText(props["children"] as ComponentChildren)}</${type}>`;
}
