// Requests that are made of the contract, most of them wrong: each is answered as the contract says, none by a failure of
// the server, and a parameter that is wrong is named.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ajv, contract, resolved } from "./support/contract.mjs";
import { serveExamples } from "./support/server.mjs";

const operations = Object.entries(contract.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

// The same requests every time: a failure can be looked at.
let seed = 20261123;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed % below;
};
const pick = (values) => values[random(values.length)];

const HOSTILE = ["'; DROP TABLE run; --", "../../../etc/passwd", "%2e%2e%2f", "<script>alert(1)</script>", "\u202e\ud83d\ude00", "x".repeat(900), "-1", "0x10", "NaN", "null", "[]", "{}", "%s%n", "latest\u00a0"];

/** Values that the schema of a parameter does not let through. */
function wrongValues({ type, enum: choices, format, minimum, maximum, items }) {
  if (type === "array") return wrongValues(items);
  if (choices) return ["nonsense", "", choices[0].toUpperCase?.() ?? "x"];
  if (type === "integer") return ["ten", "1.5", "", " 1", "1e3", "99999999999999999999999", ...(minimum === undefined ? [] : [String(BigInt(minimum) - 1n)]), ...(maximum === undefined ? [] : [String(BigInt(maximum) + 1n)])];
  if (type === "number") return ["ten", "", "1,5"];
  if (type === "boolean") return ["yes", "", "1", "TRUE"];
  if (format === "date-or-time") return ["soon", "2025-13-01", "2025-02-30", ""];
  if (format === "key-value") return ["nocolon", ""];
  return [];
}

/** Of an operation with its example's address: the parts of the address, to be changed. */
function exampleOf({ path, operation }) {
  const [address, query = ""] = (operation["x-example"] ?? path).split("?");
  return { address, query: new URLSearchParams(query) };
}

let server, end;
before(async () => ({ server, end } = await serveExamples("wrong")));
after(() => end?.());

/** Asks, and holds the answer against the contract. Returns its status and what it said. */
async function ask({ path, method, operation }, address, query, body, type = "application/json") {
  const text = query.toString();
  const where = `${method} ${address}${text ? `?${text}` : ""} ${typeof body === "string" ? body.slice(0, 100) : ""}`;
  const headers = { ...(method === "get" ? {} : server.bearer()), ...(body === undefined ? {} : { "content-type": type }) };
  const response = await fetch(`${server.base}/api/v1${address}${text ? `?${text}` : ""}`, { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) });
  const answer = await response.text();
  assert.ok(response.status < 500 || response.status === 501, `${where}: ${response.status} ${answer}`);
  assert.ok(operation.responses[response.status], `${where}: ${response.status} is not in the contract: ${answer.slice(0, 300)}`);
  const [media] = response.headers.get("content-type").split(";");
  if (response.status >= 400) {
    assert.equal(media, "application/problem+json", where);
    const validate = ajv.getSchema("openapi#/components/schemas/Problem");
    const problem = JSON.parse(answer);
    assert.ok(validate(problem), `${where}: ${ajv.errorsText(validate.errors)}`);
    assert.equal(problem.status, response.status);
    return { status: response.status, problem };
  }
  assert.ok(media in resolved(operation.responses[response.status]).content, `${where}: ${media}`);
  if (media === "application/json" && operation.operationId !== "getContract") {
    const pointer = ["paths", path, method, "responses", String(response.status), "content", media, "schema"].map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const validate = ajv.getSchema(`openapi#/${pointer}`);
    assert.ok(validate(JSON.parse(answer)), `${where}: ${ajv.errorsText(validate.errors?.slice(0, 3))}`);
  }
  return { status: response.status };
}

const reads = operations.filter(({ method }) => method === "get");
const isLarge = ({ operation }) => ["downloadStore", "downloadLines", "exportTrace"].includes(operation.operationId);

describe("each parameter with each value that its schema does not let through", () => {
  for (const one of reads) {
    const parameters = (one.operation.parameters ?? []).map(resolved).filter((parameter) => parameter.in === "query");
    if (parameters.length === 0) continue;
    test(one.path, async () => {
      let asked = 0;
      for (const parameter of parameters) {
        const { address, query } = exampleOf(one);
        for (const value of wrongValues(parameter.schema)) {
          const changed = new URLSearchParams(query);
          changed.set(parameter.name, value);
          const { status, problem } = await ask(one, address, changed);
          assert.equal(status, 400, `${address}?${changed}`);
          assert.equal(problem.parameter, parameter.name, `${address}?${changed}: ${problem.detail}`);
          ++asked;
        }
        if (parameter.schema.type !== "array") {
          const twice = new URLSearchParams(query);
          twice.append(parameter.name, "1");
          twice.append(parameter.name, "2");
          const { problem } = await ask(one, address, twice);
          assert.equal(problem?.parameter, parameter.name, `${address}?${twice}`);
        }
        if (parameter.required) {
          const without = new URLSearchParams(query);
          without.delete(parameter.name);
          const { status, problem } = await ask(one, address, without);
          assert.deepEqual([status, problem.parameter], [400, parameter.name]);
        }
      }
      const { address, query } = exampleOf(one);
      query.set("nonsense", "1");
      assert.equal((await ask(one, address, query)).problem.parameter, "nonsense");
      assert.ok(asked >= 0);
    });
  }
});

test("hostile texts wherever a text may stand", async () => {
  for (const one of reads) {
    if (isLarge(one)) continue;
    for (const parameter of (one.operation.parameters ?? []).map(resolved)) {
      if (parameter.in === "header") continue;
      const { address, query } = exampleOf(one);
      for (const value of [pick(HOSTILE), pick(HOSTILE), pick(HOSTILE)]) {
        if (parameter.in === "path") {
          const filled = one.path.replace(`{${parameter.name}}`, encodeURIComponent(value)).replace(/\{(\w+)\}/g, "1");
          await ask(one, filled, query);
        } else {
          const changed = new URLSearchParams(query);
          changed.set(parameter.name, value);
          await ask(one, address, changed);
        }
      }
    }
  }
});

test("parameters at random, right and wrong together", async () => {
  const seen = {};
  for (let i = 0; i < 600; ++i) {
    const one = pick(reads);
    if (isLarge(one)) continue;
    const { address, query } = exampleOf(one);
    for (const parameter of (one.operation.parameters ?? []).map(resolved)) {
      if (parameter.in !== "query" || random(3) > 0) continue;
      const { schema } = parameter;
      const right = schema.enum ?? schema.items?.enum ?? (schema.type === "integer" ? [String(schema.minimum ?? 0), String(schema.maximum ?? 7), "1"] : schema.type === "boolean" ? ["true", "false"] : ["latest", "eval", "resnet_mini", "inductor", "2025-11-10"]);
      const value = random(4) === 0 ? pick([...wrongValues(schema), ...HOSTILE]) : pick(right);
      if (random(5) === 0) query.append(parameter.name, value);
      else query.set(parameter.name, value);
    }
    const { status } = await ask(one, address, query);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  // Both kinds were asked, or this shows nothing.
  assert.ok(seen[200] > 50 && seen[400] > 50, JSON.stringify(seen));
});

describe("bodies that do not fit", () => {
  for (const one of operations.filter(({ operation }) => operation.requestBody?.content?.["application/json"])) {
    const schema = resolved(one.operation.requestBody.content["application/json"].schema);
    test(`${one.method} ${one.path}`, async () => {
      const { address, query } = exampleOf(one);
      const right = schema.examples[0];
      const wrong = [
        ["", "application/json"],
        ["{", "application/json"],
        ["[]", "application/json"],
        ["null", "application/json"],
        ['"text"', "application/json"],
        [JSON.stringify({ ...right, nonsense: 1 }), "application/json"],
        [JSON.stringify({ ...right, __proto__x: {} }), "application/json"],
        ["[".repeat(5000), "application/json"],
        [Buffer.from([0x7b, 0xff, 0xfe]), "application/json"],
        [JSON.stringify(right), "text/plain"],
        [JSON.stringify(right), "application/x-www-form-urlencoded"],
      ];
      for (const name of Object.keys(schema.properties)) {
        for (const value of [1, null, [], {}, true, "x".repeat(70_000)]) wrong.push([JSON.stringify({ ...right, [name]: value }), "application/json"]);
      }
      for (const name of schema.required ?? []) wrong.push([JSON.stringify(Object.fromEntries(Object.entries(right).filter(([key]) => key !== name))), "application/json"]);
      for (const [body, type] of wrong) {
        const { status } = await ask(one, address, query, body, type);
        assert.ok([400, 401, 404, 409, 413, 415].includes(status), `${one.method} ${address} ${String(body).slice(0, 80)}: ${status}`);
      }
    });
  }
});

test("methods that an address does not take", async () => {
  for (const path of Object.keys(contract.paths)) {
    const { address } = exampleOf({ path, operation: Object.values(contract.paths[path])[0] });
    for (const method of ["PUT", "PATCH", "OPTIONS", ...["post", "delete"].filter((name) => !contract.paths[path][name]).map((name) => name.toUpperCase())]) {
      const response = await fetch(`${server.base}/api/v1${address}`, { method, headers: server.bearer() });
      await response.arrayBuffer();
      assert.equal(response.status, 405, `${method} ${address}`);
      assert.match(response.headers.get("allow") ?? "", /GET|POST|DELETE/, `${method} ${address}`);
    }
  }
});

test("nothing of all this was a failure of the server, and the store is whole", async () => {
  const metrics = await (await fetch(`${server.base}/metrics`)).text();
  assert.match(metrics, /^benchhud_http_responses_total\{code="5xx"\} 0$/m);
  assert.equal((await (await fetch(`${server.base}/api/v1/store`)).json()).result_count, 1176);
});
