import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { CloudEvent, HTTP } from "cloudevents";
import { parseEvent } from "../../shared/consumer/parse-event.ts";

const folder = fileURLToPath(new URL("../../docs/schemas", import.meta.url));

/** The committed schemas, as a strict consumer loads them. */
export function committedSchemas(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    ajv.addSchema(JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));
  }
  return ajv;
}

const schemas = committedSchemas();

/**
 * What is wrong with an event that was published: for the JSON Schemas of its type and of its data, for the CloudEvents
 * SDK, and for the package that teams read it with. Nothing, if it keeps the contract.
 */
export function faultsOfEvent(body: string): string[] {
  const { type, dataschema, data, ...rest } = JSON.parse(body);
  const version = String(dataschema).split(":").at(-1);
  return [
    ...faultsIn(`urn:paycast:schema:${type}:${version}`, { type, dataschema, data, ...rest }),
    ...faultsIn(dataschema, data),
    ...faultOf(() => isCloudEvent(body), "it is not one CloudEvent"),
    ...faultOf(() => parseEvent(body).type === type, "the package does not know its type"),
  ];
}

/** The fault if it is not so, or the error. */
function faultOf(isSo: () => boolean, fault: string): string[] {
  try {
    return isSo() ? [] : [fault];
  } catch (error) {
    return [String(error)];
  }
}

function faultsIn(id: string, value: unknown): string[] {
  const validate = schemas.getSchema(id);
  if (validate === undefined) return [`there is no schema ${id}`];
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${id} ${instancePath} ${message}`,
  );
}

function isCloudEvent(body: string): boolean {
  const headers = { "content-type": "application/cloudevents+json" };
  const parsed = HTTP.toEvent({ headers, body });
  return parsed instanceof CloudEvent && parsed.validate();
}
