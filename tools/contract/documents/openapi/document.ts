import packageJson from "../../../../package.json" with { type: "json" };
import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../../../../shared/timing.ts";
import {
  createAnswers,
  exampleObjects,
  orderAnswers,
  paymentAnswers,
  receiveAnswers,
} from "./answers.ts";
import { callbackRequests, orderRequests, orders } from "./examples.ts";
import { componentSchemas, problemTable, reference, type SchemaName } from "./schemas.ts";

const info = {
  title: "Paycast",
  version: packageJson.version,
  summary: "Creates and queries payment orders, and receives the payment service's callbacks.",
  description: [
    "Amounts are exact: send them as strings, or as numbers of at most 15 digits. Times are milliseconds since 1970 in requests and RFC 3339 in responses.",
    "Errors are problem documents (RFC 9457), listed below. Programs should decide by their `type` alone. Responses may get new fields at any time.",
    "Percent-encode order numbers and payment ids. An `orderNo` with other characters than letters, digits and `-_.!~*'()` belongs in the query string (`GET /orders/-?orderNo=INV-7%3Fa`), because API Gateway decodes a path before it matches the route, and cuts it at an escaped question mark. The header `Location` has the correct path.",
    "## Problems",
    problemTable(),
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
};

const servers = [
  {
    url: "https://{apiId}.execute-api.{region}.amazonaws.com",
    description: "The stack's output ApiUrl, or its custom domain.",
    variables: { apiId: { default: "a1b2c3d4e5" }, region: { default: "eu-west-1" } },
  },
  { url: "http://127.0.0.1:3000", description: "On your machine, with npm start." },
];

const securitySchemes = {
  iam: {
    type: "apiKey",
    name: "Authorization",
    in: "header",
    description:
      "AWS Signature Version 4 for the service `execute-api`, by a caller with `execute-api:Invoke` on the route. With access `iam`, the default.",
    "x-amazon-apigateway-authtype": "awsSigv4",
  },
  jwt: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of the configured issuer for the configured audience. With access `jwt`.",
  },
};

const merchantParameter = {
  name: "merchantId",
  in: "query",
  description: "The merchant. Required if the stack has several.",
  schema: { type: "string", minLength: 1, maxLength: 18 },
};

function idParameter(name: string, description: string, example: string): object {
  const schema = { type: "string", minLength: 1, maxLength: 64 };
  return { name, in: "path", required: true, description, schema, example };
}

function jsonBody(name: SchemaName, examples: Readonly<Record<string, unknown>>): object {
  const content = { schema: reference(name), examples: exampleObjects(examples) };
  return { required: true, content: { "application/json": content } };
}

const createOrder = {
  operationId: "createOrder",
  tags: ["Storefront"],
  summary: "Create a payment order",
  description:
    "Checks everything before it calls the payment service. Idempotent by `orderNo`: the same body again returns the order as it is now; another body with the same number is `order-differs`. After `order-in-progress`, `service-busy`, `service-unreachable` and `outcome-unknown`, send the same body again. After `service-refused` the number is free for any body, unless an earlier response was `outcome-unknown`.",
  requestBody: jsonBody("NewOrder", orderRequests),
  responses: createAnswers,
};

const askedSeconds = queryAnsweredMilliseconds / 1000;
const unansweredSeconds = queryClaimMilliseconds / 1000;

const orderNoParameter = {
  name: "orderNo",
  in: "query",
  description: "The number of the order if the path is `/orders/-`. Ignored otherwise.",
  schema: { type: "string", minLength: 1, maxLength: 64 },
};

const refreshParameter = {
  name: "refresh",
  in: "query",
  description:
    "`true`: query the payment service even if the order is settled, for example to learn the latest `refundStatus` of a paid order. Without a response the stored order is returned, marked `stale`.",
  schema: { type: "boolean", default: false },
};

const getOrder = {
  operationId: "getOrder",
  tags: ["Storefront"],
  summary: "Query an order",
  description: [
    "Once the order is settled (paid, or failed or timed out for over a day and confirmed by the last check), the response comes from the table. Before that, Paycast queries the payment service.",
    "Only one caller at a time triggers a query. The others get the stored order, marked `stale` unless the payment service has just confirmed it.",
    `The next query follows ${askedSeconds} seconds after a response at the earliest. If the payment service does not respond, the last known status is marked \`stale\`, and the next query follows ${unansweredSeconds} seconds later at the earliest.`,
  ].join(" "),
  parameters: [
    idParameter(
      "orderNo",
      "The shop's own number of the order, or `-` if it is in the query string.",
      orders.paid.orderNo,
    ),
    orderNoParameter,
    merchantParameter,
    refreshParameter,
  ],
  responses: orderAnswers,
};

const getPayment = {
  operationId: "getPayment",
  tags: ["Storefront"],
  summary: "Query an order by one of its payments",
  description:
    "Like `GET /orders/{orderNo}`. If the payment was not created here, the response combines the payment service's own with the refunds that callbacks reported. If the payment service rejects the query, the response is `payment-unknown` with its code and message.",
  parameters: [
    idParameter("paymentId", "The payment service's number.", orders.paid.paymentId),
    merchantParameter,
    refreshParameter,
  ],
  responses: paymentAnswers,
};

const receiveCallback = {
  operationId: "receiveCallback",
  tags: ["Callbacks"],
  summary: "Receive a callback of the payment service",
  description:
    "For the payment service alone: rejects what is not signed and encrypted with the merchant's keys. 200 always means that the callback is stored.",
  security: [],
  requestBody: jsonBody("CallbackEnvelope", callbackRequests),
  responses: receiveAnswers,
};

/** The whole document, OpenAPI 3.1. */
export function makeDocument(): object {
  return {
    openapi: "3.1.0",
    info,
    servers,
    security: [{ iam: [] }, { jwt: [] }],
    tags: [
      { name: "Storefront", description: "For the shop." },
      { name: "Callbacks", description: "For the payment service." },
    ],
    paths: {
      "/orders": { post: createOrder },
      "/orders/{orderNo}": { get: getOrder },
      "/payments/{paymentId}": { get: getPayment },
      "/callbacks": { post: receiveCallback },
    },
    components: { securitySchemes, schemas: componentSchemas() },
  };
}
