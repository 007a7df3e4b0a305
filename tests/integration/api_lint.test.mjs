// The contract by a linter of OpenAPI, and its examples: each fits its schema, and none is missing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { ajv, contract } from "./support/contract.mjs";
import { root, serveExamples } from "./support/server.mjs";

const source = readFileSync(join(root, "schema/openapi.json"), "utf8");

const config = () =>
  createConfig({
    extends: ["recommended-strict"],
    rules: {
      "no-invalid-media-type-examples": "error",
      "no-invalid-parameter-examples": "error",
      "no-invalid-schema-examples": "error",
      "no-required-schema-properties-undefined": "error",
      "no-schema-type-mismatch": "error",
      "no-enum-type-mismatch": "error",
      "no-unused-components": "error",
      "operation-summary": "error",
      "operation-tag-defined": "error",
      "parameter-description": "error",
      "tag-description": "error",
    },
  });
const lint = async (text) => (await lintFromString({ source: text, absoluteRef: "openapi.json", config: await config() })).map((problem) => `${problem.ruleId}: ${problem.message} (${problem.location[0]?.pointer})`);

test("a linter finds nothing", async () => {
  assert.deepEqual(await lint(source), []);
  assert.ok((await lint(source.replace('"title": "benchhud",', ""))).length > 0, "it looks");
});

const operations = Object.entries(contract.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
const schemaOf = (content) => (content.schema.$ref ? content.schema.$ref.slice(2).split("/").reduce((at, key) => at[key], contract) : content.schema);

test("every answer has an example that fits its schema", () => {
  for (const { path, method, operation } of operations) {
    if (operation.operationId === "getContract") continue; // it is its own
    for (const status of ["200", "201"]) {
      const content = operation.responses[status]?.content?.["application/json"];
      if (!content) continue;
      const examples = content.example === undefined ? (schemaOf(content).examples ?? []) : [content.example];
      assert.ok(examples.length > 0 || Object.keys(operation.responses[status].content)[0] !== "application/json", `${method} ${path}`);
      const pointer = ["paths", path, method, "responses", status, "content", "application/json", "schema"].map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
      const validate = ajv.getSchema(`openapi#/${pointer}`);
      for (const example of examples) assert.ok(validate(example), `${method} ${path}: ${ajv.errorsText(validate.errors)}`);
    }
  }
});

describe("what the examples ask for is answered", () => {
  let server, end;
  before(async () => ({ server, end } = await serveExamples("examples")));
  after(() => end?.());
  for (const { path, method, operation } of operations) {
    if (method !== "get" || operation.operationId === "getContract") continue;
    test(`${path}: ${operation["x-example"]}`, async () => {
      const response = await fetch(`${server.base}/api/v1${operation["x-example"]}`);
      const body = await response.text();
      assert.equal(response.status, 200, body.slice(0, 500));
      const { example } = operation.responses["200"].content["application/json"] ?? {};
      if (example && !Array.isArray(example)) assert.deepEqual(Object.keys(JSON.parse(body)), Object.keys(example));
    });
  }
});
