// Addresses of the API, as the contract (schema/openapi.json) has them: what each takes, and what it answers.
import type { paths } from "./openapi";

export const BASE = "/api/v1";

export type Path = keyof paths;
export type Method = "get" | "post" | "delete";
type Operation<P extends Path, M extends Method> = M extends Method
  ? paths[P] extends { [method in M]: infer O }
    ? O
    : never
  : never;

type Json<R> = R extends { content: { "application/json": infer T } } ? T : never;
type Success<R> = { [status in keyof R & (200 | 201)]: Json<R[status]> }[keyof R & (200 | 201)];

/** What is answered to a method at a path, as JSON. */
export type Answered<P extends Path, M extends Method = "get"> = P extends Path
  ? Operation<P, M> extends { responses: infer R }
    ? Success<R>
    : never
  : never;

/** What a POST to a path takes. */
export type Body<P extends Path> =
  Operation<P, "post"> extends {
    requestBody?: { content: { "application/json": infer B } };
  }
    ? B
    : never;

type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Query<O> = O extends { parameters: { query?: infer Q } } ? keyof NonNullable<Q> & string : never;

/** Several values are several parameters; what is null, "" or false is left out. */
export type Value = string | number | boolean | readonly string[] | null | undefined;

/** The parts of a path, and the parameters of its query. */
export type Parts<P extends Path> = { [name in Names<P>]: string | number } & {
  [name in Query<Operation<P, Method>>]?: Value;
};

/** An address at which `P` is answered. */
export type Address<P extends Path = Path> = string & { readonly path: P };

type Given<P extends Path> = [Names<P>] extends [never] ? [parts?: Parts<P>] : [parts: Parts<P>];

/** The address of a path of the contract: `parts` fill the names in braces, the rest of them is the query. */
export function address<P extends Path>(path: P, ...[parts]: Given<P>): Address<P> {
  const params = new URLSearchParams();
  let filled: string = path;
  for (const [name, value] of Object.entries((parts ?? {}) as Record<string, Value>)) {
    if (path.includes(`{${name}}`)) {
      filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
      continue;
    }
    if (value === null || value === undefined || value === "" || value === false) continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
  }
  const text = params.toString();
  return (BASE + filled + (text ? `?${text}` : "")) as Address<P>;
}
