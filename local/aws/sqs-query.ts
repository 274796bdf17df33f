import * as z from "zod";
import type { SqsApp } from "./sqs-keeping.ts";

/**
 * SQS speaks two protocols. SDKs since the end of 2023 send JSON; older ones, such as the botocore and the awscli of
 * Debian 12, send forms and read XML. The emulator knows only JSON, so this translates what a consumer of a queue calls.
 */
const translated = new Set([
  ...["ReceiveMessage", "DeleteMessage", "DeleteMessageBatch", "ChangeMessageVisibility"],
  ...["ChangeMessageVisibilityBatch", "GetQueueUrl", "GetQueueAttributes"],
]);

const formSchema = z.record(z.string(), z.string());
type Form = z.output<typeof formSchema>;
type Input = Record<string, unknown>;

export function speakOldProtocol(app: SqsApp): void {
  app.addHook("preHandler", async (request, reply) => {
    const isForm = request.headers["content-type"]?.includes("x-www-form-urlencoded");
    const form = formSchema.safeParse(isForm ? request.body : undefined);
    const action = form.data?.["Action"] ?? "";
    if (!form.success || !translated.has(action)) return;
    const answer = await app.inject({
      ...{ method: "POST", url: "/" },
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `AmazonSQS.${action}`,
      },
      payload: JSON.stringify(toInput(form.data)),
    });
    const output = z.record(z.string(), z.unknown()).parse(JSON.parse(answer.body || "{}"));
    const xml = answer.statusCode < 300 ? toXml(action, output) : toErrorXml(output);
    return reply.code(answer.statusCode).type("text/xml").send(xml);
  });
}

const numbers = /^(MaxNumberOfMessages|WaitTimeSeconds|VisibilityTimeout|DelaySeconds)$/;

/** `AttributeName.1=All` is a list, `…RequestEntry.1.Id=a` a list of objects, all else a field. */
function toInput({ Action: _, Version: __, ...form }: Form): Input {
  const input: Input = {};
  const entries: Record<string, Input> = {};
  for (const [name, text] of Object.entries(form)) {
    const value = numbers.test(name.split(".").at(-1) ?? "") ? Number(text) : text;
    const [start = "", index = "", field] = name.split(".");
    if (index === "") input[start] = value;
    else if (field === undefined) input[`${start}s`] = [...listIn(input, `${start}s`), value];
    else if (start.endsWith("RequestEntry")) entries[index] = { ...entries[index], [field]: value };
  }
  if (Object.keys(entries).length > 0) input["Entries"] = Object.values(entries);
  return input;
}

function listIn(input: Input, name: string): unknown[] {
  const list = input[name];
  return Array.isArray(list) ? list : [];
}

function toXml(action: string, output: Input): string {
  const result = fieldsOf(action, output);
  const metadata = "<ResponseMetadata><RequestId>local</RequestId></ResponseMetadata>";
  return `<${action}Response><${action}Result>${result}</${action}Result>${metadata}</${action}Response>`;
}

/** JSON has whole lists and maps; XML repeats an element for each entry. */
function fieldsOf(action: string, output: Input): string {
  const parts = Object.entries(output).flatMap(([name, value]) => {
    const element = elementOf(action, name);
    if (Array.isArray(value)) return value.map((one) => tag(element, contentOf(action, one)));
    if (!isMap(name)) return [tag(name, contentOf(action, value))];
    const pairs = Object.entries(z.record(z.string(), z.unknown()).parse(value));
    return pairs.map(([key, one]) =>
      tag(element, tag("Name", escaped(key)) + tag("Value", contentOf(action, one))),
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

function toErrorXml({ __type: type, message }: Input): string {
  const code = String(type).replace(/^.*#/, "");
  const error = `<Type>Sender</Type>${tag("Code", escaped(code))}${tag("Message", escaped(String(message)))}`;
  return `<ErrorResponse><Error>${error}</Error><RequestId>local</RequestId></ErrorResponse>`;
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
