import type { Subscriber } from "../../../../infra/config/subscriber-config.ts";
import { matchesPattern } from "../../../../shared/facts/event-types.ts";
import { shapesWithin } from "../../generated-types/event-shapes.ts";
import type { JsonSchema } from "../json-schema.ts";
import { eventExamples } from "./event-examples.ts";
import { envelopeOf, type TypePromise, typePromises } from "./event-schemas.ts";

const title = "Paycast events";
const description = [
  "Each subscriber has an SQS queue in the stack's account. Its team can read it from other accounts too.",
  "Every message is one CloudEvents 1.0 event in structured JSON. The message attribute `type` repeats its type.",
  "This document describes the subscribers of infra/paycast.config.json. docs/events.md explains every field.",
].join(" ");

const license = { name: "MIT", url: "https://spdx.org/licenses/MIT.html" };

const securitySchemes = {
  iam: {
    type: "http",
    scheme: "AWS4-HMAC-SHA256",
    description:
      "AWS Signature Version 4 for the service `sqs`. The queue's policy and IAM decide who may send and read.",
  },
};

/** The AsyncAPI 3 document: what Paycast sends to which subscriber. */
export function makeAsyncapi(version: string, subscribers: readonly Subscriber[]): object {
  return {
    asyncapi: "3.1.0",
    info: { title, version, description, license },
    defaultContentType: "application/cloudevents+json",
    channels: Object.fromEntries(
      subscribers.map((subscriber) => [subscriber.name, channelOf(subscriber)]),
    ),
    operations: Object.fromEntries(
      subscribers.map(({ name }) => [`send-to-${name}`, sendTo(name)]),
    ),
    components: {
      messages: Object.fromEntries(
        typePromises.map((promise) => [promise.type, messageOf(promise)]),
      ),
      messageTraits: { attributes: { headers: messageAttributes } },
      schemas: schemas(),
      securitySchemes,
    },
  };
}

const messageAttributes = {
  type: "object",
  description: "The message attributes of SQS.",
  required: ["type"],
  properties: {
    type: { type: "string", description: "The type of the event, as in the event itself." },
    replay: {
      type: "string",
      description: "Present if an operator replays the event: the run of the replay.",
    },
  },
};

function channelOf({ name, types, ordered }: Subscriber): object {
  const wanted = typePromises.filter(({ type }) =>
    types.some((pattern) => matchesPattern(type, pattern)),
  );
  // No address: CloudFormation generates the queue's name, and the stack's outputs have its URL.
  return {
    title: `The queue of ${name}`,
    description: ordered
      ? "A FIFO queue: events of one `partitionkey` arrive in the order of `sequence`."
      : "A standard queue: events may arrive in any order, and more than once.",
    messages: Object.fromEntries(
      wanted.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }]),
    ),
    bindings: { sqs: { queue: { name, fifoQueue: ordered }, bindingVersion: "0.2.0" } },
  };
}

function sendTo(name: string): object {
  return {
    action: "send",
    channel: { $ref: `#/channels/${name}` },
    summary: `Sends each event that ${name} wants, at least once.`,
    security: [{ $ref: "#/components/securitySchemes/iam" }],
  };
}

function messageOf(promise: TypePromise): object {
  const { type, meaning } = promise;
  return {
    name: type,
    title: type,
    summary: meaning,
    payload: { $ref: `#/components/schemas/${type}` },
    traits: [{ $ref: "#/components/messageTraits/attributes" }],
    examples: [{ name: type, headers: { type }, payload: eventExamples()[type] }],
  };
}

function schemas(): Record<string, unknown> {
  const whole = typePromises.map((promise) => [promise.type, envelopeOf(promise)] as const);
  const parts = Object.assign({}, ...whole.map(([, schema]) => shapesWithin(schema)));
  const all = { ...parts, ...Object.fromEntries(whole) };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, rewritten(schema)]));
}

/** AsyncAPI's schema dialect is older: it ignores everything beside a reference. */
function rewritten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rewritten);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest }: JsonSchema = schema;
  const others = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, rewritten(value)]),
  );
  if ($ref === undefined) return others;
  const reference = { $ref: $ref.replace("#/$defs/", "#/components/schemas/") };
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] };
}
