import type { ProblemCode } from "../../../../shared/errors/error-codes.ts";
import { problemDescriptions } from "../../../../shared/storefront/problem-kinds.ts";
import { callbackAnswers, foreignOrder, orders } from "./examples.ts";
import { problemType } from "./named-schemas.ts";
import { creationProblems, problems } from "./problem-examples.ts";
import { reference, type SchemaName } from "./schemas.ts";

type Examples = Readonly<Record<string, unknown>>;

/** Responses by HTTP status. */
export type Answers = Record<string, object>;

const retryAfter = {
  description: "The number of seconds after which to send the request again.",
  schema: { type: "integer", minimum: 1 },
};

const location = {
  description:
    "The path of the order, with `merchantId` if the stack has several. An `orderNo` that needs percent-encoding is in the query string: `/orders/-?orderNo=INV-7%3Fa`.",
  schema: { type: "string" },
  example: "/orders/SO-2026-000481",
};

/** Wraps each example as OpenAPI requires. */
export function exampleObjects(examples: Examples): Record<string, { value: unknown }> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

function jsonAnswer(description: string, name: SchemaName, examples: Examples): object {
  const content = { schema: reference(name), examples: exampleObjects(examples) };
  return { description, content: { "application/json": content } };
}

/** The problems of an operation. Those with the same status share an entry. */
function problemAnswers(kinds: readonly ProblemCode[], changed: Examples = {}): Answers {
  const statuses = new Set(kinds.map((kind) => problemDescriptions[kind].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const here = kinds.filter((kind) => problemDescriptions[kind].status === status);
      return [String(status), problemAnswer(here, changed)];
    }),
  );
}

function problemAnswer(kinds: readonly ProblemCode[], changed: Examples): object {
  const examples = Object.fromEntries(kinds.map((kind) => [kind, changed[kind] ?? problems[kind]]));
  const waits = Object.values(examples).some((example) => "retryAfterSeconds" in Object(example));
  const type = { enum: kinds.map(problemType) };
  const schema = { allOf: [reference("Problem"), { properties: { type } }] };
  return {
    description: kinds.map((kind) => `${problemDescriptions[kind].title}.`).join(" "),
    ...(waits && { headers: { "Retry-After": retryAfter } }),
    content: { "application/problem+json": { schema, examples: exampleObjects(examples) } },
  };
}

const ofApiGateway = (description: string) => ({
  description,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { message: { type: "string" } },
        required: ["message"],
      },
    },
  },
});

/** The responses of API Gateway itself, on every route. */
const anywhere: Answers = {
  "429": ofApiGateway("Too many requests. Try again in a moment."),
  "500": ofApiGateway("The function crashed or took too long. Try again in a moment."),
};

const withAccess: Answers = {
  ...anywhere,
  "401": ofApiGateway("The token is missing or not valid (access `jwt`)."),
  "403": ofApiGateway(
    "The signature is missing, or its signer may not call this route (access `iam`).",
  ),
};

export const createAnswers: Answers = {
  "200": jsonAnswer("The order was created before. This is its current state.", "Order", {
    repeated: orders.paid,
  }),
  "201": {
    ...jsonAnswer("The order is created. Send the consumer to `checkoutUrl`.", "Order", {
      created: orders.pending,
    }),
    headers: { Location: location },
  },
  ...problemAnswers(
    [
      "body-invalid",
      "merchant-unknown",
      "order-differs",
      "order-exists",
      "order-in-progress",
      "body-too-large",
      "service-refused",
      "service-answer-incomplete",
      "service-busy",
      "service-unreachable",
      "unavailable",
      "outcome-unknown",
    ],
    creationProblems,
  ),
  ...withAccess,
};

export const orderAnswers: Answers = {
  "200": jsonAnswer("The order.", "Order", orders),
  ...problemAnswers(["merchant-unknown", "order-unknown", "unavailable"]),
  ...withAccess,
};

export const paymentAnswers: Answers = {
  "200": jsonAnswer("The order that the payment belongs to.", "Order", {
    paid: orders.paid,
    elsewhere: foreignOrder,
  }),
  ...problemAnswers([
    "merchant-unknown",
    "payment-unknown",
    "service-busy",
    "service-unreachable",
    "service-no-answer",
    "unavailable",
  ]),
  ...withAccess,
};

const callbackMeanings: Readonly<Record<keyof typeof callbackAnswers, string>> = {
  "200": "The callback is stored.",
  "400": "Not a callback envelope.",
  "401": "Not authentic. The response is the same for all causes.",
  "403": "From an address that the stack does not allow. Only if its config lists addresses.",
  "413": "Larger than 256 KiB.",
  "503": "Not stored. The payment service retries it.",
};

export const receiveAnswers: Answers = {
  ...Object.fromEntries(
    Object.entries(callbackAnswers).map(([status, examples]) => [
      status,
      jsonAnswer(Object(callbackMeanings)[status], "CallbackAnswer", examples),
    ]),
  ),
  ...anywhere,
};
