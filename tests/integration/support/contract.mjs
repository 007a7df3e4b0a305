// The contract, schema/openapi.json, and what answers are held against it with.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020.js";
import { root } from "./server.mjs";

export const contract = JSON.parse(readFileSync(join(root, "schema/openapi.json"), "utf8"));

/** Its schemas are known by their places: `ajv.getSchema("openapi#/components/schemas/Problem")`. */
export const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addFormat("date-or-time", true);
ajv.addFormat("key-value", true);
ajv.addSchema(contract, "openapi");

/** A part of the contract, or what it refers to. */
export const resolved = (node) => (node.$ref ? node.$ref.slice(2).split("/").reduce((at, key) => at[key], contract) : node);
