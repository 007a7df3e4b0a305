import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Contract,
  boundsText,
  curlCommand,
  fieldsOf,
  mentions,
  operationsOf,
  resolved,
  typePieces,
} from "../src/lib/contract";

const contract = JSON.parse(readFileSync(new URL("../../schema/openapi.json", import.meta.url), "utf8")) as Contract;
const operations = operationsOf(contract);
const one = (id: string) => {
  const found = operations.find((operation) => operation.id === id);
  assert.ok(found, id);
  return found;
};

test("every operation of the contract is there, with a group, parameters that are resolved and its answers", () => {
  const count = Object.values(contract.paths).reduce((all, methods) => all + Object.keys(methods).length, 0);
  assert.equal(operations.length, count);
  const groups = new Set(contract.tags.map((tag) => tag.name));
  for (const operation of operations) {
    assert.ok(groups.has(operation.group), operation.id);
    for (const parameter of operation.parameters) assert.ok(parameter.name && parameter.schema, operation.id);
    assert.ok(
      operation.answers.some((answer) => answer.status.startsWith("2")),
      operation.id,
    );
  }
  assert.ok(one("getRun").parameters.some((parameter) => parameter.name === "run" && parameter.in === "path"));
});

test("a token's scope, nothing, or what reading takes", () => {
  assert.equal(one("actOnAlert").scope, "triage");
  assert.equal(one("uploadResults").scope, "ingest");
  assert.equal(one("getHealth").scope, "");
  assert.equal(one("getRun").scope, null);
});

test("types in words, with the names of shapes apart", () => {
  assert.deepEqual(typePieces({ type: ["string", "null"], format: "date-time" }), [
    "string (date-time)",
    " or ",
    "null",
  ]);
  assert.deepEqual(typePieces({ type: "array", items: { $ref: "#/components/schemas/Run" } }), [
    "list",
    " of ",
    { schema: "Run" },
  ]);
  assert.deepEqual(typePieces({ anyOf: [{ $ref: "#/components/schemas/A" }, { type: "null" }] }), [
    { schema: "A" },
    " or ",
    "null",
  ]);
  assert.deepEqual(typePieces({ type: "object", additionalProperties: { type: "string" } }), ["object of ", "string"]);
  assert.deepEqual(typePieces({ enum: ["a", 1, null] }), ['"a" or 1 or null']);
  assert.deepEqual(typePieces({}), ["anything"]);
  assert.equal(boundsText({ minimum: 1, maximum: 5, default: 2 }), "1 to 5; 2 unless given");
  assert.equal(boundsText({ minimum: 0 }), "0 or more");
  assert.equal(boundsText({}), "");
});

test("fields within fields, to a depth; named shapes are not gone into", () => {
  const schema = {
    type: "object",
    required: ["a"],
    properties: {
      a: {
        type: "object",
        properties: { b: { type: "array", items: { type: "object", properties: { c: { type: "integer" } } } } },
      },
      d: { $ref: "#/components/schemas/Run" },
    },
  };
  assert.deepEqual(
    fieldsOf(schema).map((field) => [field.name, field.required]),
    [
      ["a", true],
      ["a.b", false],
      ["a.b[].c", false],
      ["d", false],
    ],
  );
  for (const name of Object.keys(contract.components.schemas))
    assert.ok(Array.isArray(fieldsOf(resolved(contract, { $ref: `#/components/schemas/${name}` }))), name);
});

test("an example is a command that a shell takes", () => {
  assert.equal(curlCommand(one("getRun"), "http://h/api/v1"), "curl 'http://h/api/v1/runs/2025-11-10'");
  assert.match(
    curlCommand(one("actOnAlert"), "http://h/api/v1") ?? "",
    /^curl 'http:\/\/h\/api\/v1\/alerts\/\d+\/actions' -H "Authorization: Bearer \$BENCHHUD_TOKEN" --json '\{"kind":"state",/,
  );
  assert.match(curlCommand(one("uploadResults"), "") ?? "", /--data-binary @FILE$/);
  assert.match(curlCommand(one("removeTraceNote"), "") ?? "", /^curl -X DELETE '/);
  assert.match(curlCommand({ ...one("getRun"), exampleAddress: "/x'y" }, "") ?? "", /'\/x'\\''y'/);
});

test("words find operations by what they say", () => {
  assert.ok(mentions(one("getSpeedups"), "speedup"));
  assert.ok(mentions(one("getSpeedups"), "SPEEDUPS get"));
  assert.ok(!mentions(one("getSpeedups"), "speedup alerts"));
});
