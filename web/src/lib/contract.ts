// The REST contract (OpenAPI 3.1), as the reference shows it: operations by group, and what is in their schemas.
import { quotedWord } from "./shell";

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: (string | number | null)[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  examples?: unknown[];
};
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};
type Content = Record<string, { schema?: Schema; example?: unknown; "x-columns"?: Record<string, string> }>;
type Body = { $ref?: string; description?: string; content?: Content };
type Described = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
  security?: Record<string, string[]>[];
  "x-example"?: string;
};
export type Contract = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, Schema> };
};

export type Operation = {
  id: string;
  method: string;
  path: string;
  group: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  /** What is sent: its types, its schema and an example of it. */
  body: { types: string[]; schema: Schema | null; example: unknown; description: string } | null;
  answers: { status: string; description: string; types: string[]; schema: Schema | null }[];
  /** What is answered where all is well; undefined where it is no JSON. */
  example: unknown;
  /** The address that the example is the answer to. */
  exampleAddress: string | null;
  /** The scope of the token that it takes; null: what reading takes; "": nothing, ever. */
  scope: string | null;
};

const METHODS = ["get", "post", "delete"];

export function resolved<T extends object>(contract: Contract, node: T & { $ref?: string }): T {
  if (!node.$ref) return node;
  const found = node.$ref
    .slice(2)
    .split("/")
    .reduce((at, key) => (at as Record<string, unknown>)[key], contract as unknown);
  return found as T;
}

/** Of a reference to a schema, its name. */
export const schemaName = (schema: Schema): string | null =>
  schema.$ref ? (schema.$ref.split("/").pop() ?? null) : null;

function scopeOf(operation: Described): string | null {
  if (!operation.security) return null;
  const scopes = operation.security.flatMap((one) => Object.values(one).flat());
  return scopes.find((scope) => scope !== "read") ?? (scopes.length ? null : "");
}

function bodyOf(contract: Contract, described: Described): Operation["body"] {
  if (!described.requestBody) return null;
  const { content = {}, description = "" } = resolved(contract, described.requestBody);
  const [first] = Object.values(content);
  const schema = first?.schema ?? null;
  const example = first?.example ?? (schema ? resolved(contract, schema).examples?.[0] : undefined);
  return { types: Object.keys(content), schema, example, description };
}

export function operationsOf(contract: Contract): Operation[] {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => {
      const described = methods[method] as Described;
      const answers = Object.entries(described.responses).map(([status, response]) => {
        const { content = {}, description = "" } = resolved(contract, response);
        return {
          status,
          description,
          types: Object.keys(content),
          schema: content["application/json"]?.schema ?? null,
        };
      });
      const well = described.responses["200"] ?? described.responses["201"];
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        group: described.tags[0] ?? "",
        summary: described.summary,
        description: described.description ?? "",
        parameters: (described.parameters ?? [])
          .map((one) => resolved(contract, one))
          .filter((one) => one.in !== "header"),
        body: bodyOf(contract, described),
        answers,
        example: well ? resolved(contract, well).content?.["application/json"]?.example : undefined,
        exampleAddress: described["x-example"] ?? null,
        scope: scopeOf(described),
      };
    }),
  );
}

/** A type in words, in pieces: names of schemas stand apart, to become links. */
export type TypePiece = string | { schema: string };

export function typePieces(schema: Schema): TypePiece[] {
  const name = schemaName(schema);
  if (name) return [{ schema: name }];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((one, index) => [...(index ? [" or "] : []), ...typePieces(one)]);
  if (schema.allOf) return schema.allOf.flatMap((one, index) => [...(index ? [" and "] : []), ...typePieces(one)]);
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(" or ")];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  const types = [schema.type ?? "anything"].flat();
  return types.flatMap((type, index) => {
    const before = index ? [" or "] : [];
    if (type === "array") return [...before, "list", ...(schema.items ? [" of ", ...typePieces(schema.items)] : [])];
    if (type === "object" && typeof schema.additionalProperties === "object")
      return [...before, "object of ", ...typePieces(schema.additionalProperties)];
    return [...before, type === "string" && schema.format ? `string (${schema.format})` : type];
  });
}

/** The bounds of a value in words; "" where it has none. */
export function boundsText(schema: Schema): string {
  const bounds: string[] = [];
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    bounds.push(`${schema.minimum} to ${schema.maximum}`);
  else if (schema.minimum !== undefined) bounds.push(`${schema.minimum} or more`);
  else if (schema.maximum !== undefined) bounds.push(`${schema.maximum} or less`);
  if (schema.default !== undefined) bounds.push(`${JSON.stringify(schema.default)} unless given`);
  return bounds.join("; ");
}

export type Field = { name: string; schema: Schema; required: boolean };

/** The fields of an object with those of objects within it that have no name of their own: "interval.low". */
export function fieldsOf(schema: Schema, prefix = "", depth = 0): Field[] {
  const parts = [schema, ...(schema.allOf ?? [])];
  return parts.flatMap((part) =>
    Object.entries(part.properties ?? {}).flatMap(([name, member]) => {
      const field: Field = { name: prefix + name, schema: member, required: part.required?.includes(name) ?? false };
      const [inner, mark] = member.items && !member.items.$ref ? [member.items, "[]."] : [member, "."];
      return depth < 3 && inner.properties ? [field, ...fieldsOf(inner, prefix + name + mark, depth + 1)] : [field];
    }),
  );
}

/** Whether an operation has to do with all of the words. */
export function mentions(operation: Operation, words: string): boolean {
  const text = [
    operation.method,
    operation.path,
    operation.id,
    operation.summary,
    operation.description,
    ...operation.parameters.map((one) => one.name),
  ]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The example as a command. `base`: the server's address, as in "http://127.0.0.1:8080/api/v1". */
export function curlCommand(operation: Operation, base: string): string | null {
  if (operation.exampleAddress === null) return null;
  const words = ["curl"];
  if (operation.method === "DELETE") words.push("-X DELETE");
  words.push(quotedWord(base + operation.exampleAddress));
  if (operation.scope) words.push('-H "Authorization: Bearer $BENCHHUD_TOKEN"');
  if (operation.body && operation.body.example !== undefined)
    words.push(`--json ${quotedWord(JSON.stringify(operation.body.example))}`);
  else if (operation.body)
    words.push(`-H ${quotedWord(`Content-Type: ${operation.body.types[0]}`)} --data-binary @FILE`);
  return words.join(" ");
}
