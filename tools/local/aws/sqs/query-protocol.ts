import * as z from "zod";
import { AwsError, oldCodeOf } from "../aws-error.ts";

/**
 * SQS speaks two protocols. SDKs since the end of 2023 send JSON; older ones, such as the botocore and the awscli of
 * Debian 12, send forms and read XML. This translates what a consumer of a queue calls.
 */
const translated = new Set([
  "ReceiveMessage",
  "DeleteMessage",
  "DeleteMessageBatch",
  "ChangeMessageVisibility",
  "ChangeMessageVisibilityBatch",
  "GetQueueUrl",
  "GetQueueAttributes",
]);

type Input = Record<string, unknown>;

/** `AttributeName.1=All` is a list, `…RequestEntry.1.Id=a` a list of objects, all else a field. */
export function readForm(text: string): { readonly operation: string; readonly input: Input } {
  const { Action: operation = "", ...form } = Object.fromEntries(new URLSearchParams(text));
  if (!translated.has(operation)) {
    const message = `The local SQS has no operation ${operation} in the old protocol.`;
    throw new AwsError("UnsupportedOperation", message);
  }
  const input: Input = {};
  const entries: Record<string, Input> = {};
  for (const [name, value] of Object.entries(form)) {
    const [start = "", index = "", field] = name.split(".");
    if (index === "") input[start] = value;
    else if (field === undefined) input[`${start}s`] = [...listIn(input, `${start}s`), value];
    else if (start.endsWith("RequestEntry")) entries[index] = { ...entries[index], [field]: value };
  }
  if (Object.keys(entries).length > 0) input["Entries"] = Object.values(entries);
  return { operation, input };
}

function listIn(input: Input, name: string): unknown[] {
  const list = input[name];
  return Array.isArray(list) ? list : [];
}

export function toXml(action: string, output: object): string {
  const result = fieldsOf(action, Object.fromEntries(Object.entries(output)));
  const metadata = "<ResponseMetadata><RequestId>local</RequestId></ResponseMetadata>";
  return `<${action}Response><${action}Result>${result}</${action}Result>${metadata}</${action}Response>`;
}

/** JSON has whole lists and maps; XML repeats an element for each entry. */
function fieldsOf(action: string, output: Input): string {
  const parts = Object.entries(output).flatMap(([name, value]) => {
    const element = elementOf(action, name);
    if (Array.isArray(value)) return value.map((entry) => tag(element, contentOf(action, entry)));
    if (!isMap(name)) return [tag(name, contentOf(action, value))];
    const pairs = Object.entries(z.record(z.string(), z.unknown()).parse(value));
    return pairs.map(([key, content]) =>
      tag(element, tag("Name", escaped(key)) + tag("Value", contentOf(action, content))),
    );
  });
  return parts.join("");
}

function contentOf(action: string, value: unknown): string {
  const fields = z.record(z.string(), z.unknown()).safeParse(value);
  return fields.success ? fieldsOf(action, fields.data) : escaped(String(value));
}

function isMap(name: string): boolean {
  return name === "Attributes" || name === "MessageAttributes";
}

function elementOf(action: string, name: string): string {
  if (name === "Successful") return `${action}ResultEntry`;
  if (name === "Failed") return "BatchResultErrorEntry";
  return name.replace(/s$/, "");
}

export function toErrorXml(error: AwsError): string {
  const [code, type] = oldCodeOf(error);
  const said = tag("Type", type) + tag("Code", code) + tag("Message", escaped(error.message));
  return `<ErrorResponse><Error>${said}</Error><RequestId>local</RequestId></ErrorResponse>`;
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** A parser would read a line break of Windows as a plain one. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}
