import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { drain } from "../integration/aws-stores.ts";
import { askingForOrders, askingForPayments, creating, type Situation } from "./example-answers.ts";
import { receiving } from "./example-callbacks.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

type Content = Record<string, { examples?: Record<string, { value: object }> }>;
type Operation = {
  requestBody?: { content: Content };
  responses: Record<string, { content: Content; headers?: { Location?: { example: string } } }>;
};
const { paths } = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
) as { paths: Record<string, Record<string, Operation>> };

const newShop = () =>
  makeShop({
    merchantId: "208812345678900018",
    redirectOrigins: ["https://shop.example.com", "myshop:"],
  });

/** All examples of answers, by status and name. */
function answersOf({
  responses,
}: Operation): Record<
  string,
  { type: string; value: object; waits: boolean; location: string | null }
> {
  const found = Object.entries(responses).flatMap(([status, { content, headers }]) =>
    Object.entries(content).flatMap(([type, { examples = {} }]) =>
      Object.entries(examples).map(([name, { value }]) => {
        const waits = headers !== undefined && "retryAfterSeconds" in value;
        const location = headers?.Location?.example ?? null;
        return [`${status} ${name}`, { type, value, waits, location }] as const;
      }),
    ),
  );
  return Object.fromEntries(found);
}

const ofTheirOwn =
  /^(paymentId|checkoutUrl|callbackUrl|transactionId|statusAt|createdAt|completedAt|expiresAt|refundId)$/;

/** An answer in which what differs from run to run appears by its kind alone. */
function comparable(answer: object): object {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      ofTheirOwn.test(name) ? kindOf(value) : value,
    ),
  );
}

function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kindOf);
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return "(time)";
  return URL.canParse(value) ? "(address)" : "(id)";
}

describe.each<[string, Operation | undefined, Record<string, Situation>]>([
  ["POST /orders", paths["/orders"]?.["post"], creating],
  ["GET /orders/{orderNo}", paths["/orders/{orderNo}"]?.["get"], askingForOrders],
  ["GET /payments/{paymentId}", paths["/payments/{paymentId}"]?.["get"], askingForPayments],
  ["POST /callbacks", paths["/callbacks"]?.["post"], receiving],
])("%s answers as its example says", (_case, operation, situations) => {
  const answers = answersOf(operation!);

  test("in every example there is", () => {
    expect(Object.keys(situations).sort()).toEqual(Object.keys(answers).sort());
  });

  test.each(Object.keys(answers))("%s", async (name) => {
    const expected = answers[name]!;
    const answer = await situations[name]!(await newShop());
    expect(answer.status).toBe(Number(name.split(" ")[0]));
    expect(comparable(answer.body)).toEqual(comparable(expected.value));
    expect(answer.headers.get("content-type")).toBe(expected.type);
    expect(answer.headers.has("retry-after")).toBe(expected.waits);
    expect(answer.headers.get("location")).toBe(expected.location);
  });
});

describe("an example of a request is accepted", () => {
  const { examples = {} } = paths["/orders"]!["post"]!.requestBody!.content["application/json"]!;

  test.each(Object.keys(examples))("POST /orders %s", async (name) => {
    const shop = await newShop();
    const answer = await shop.create(examples[name]!.value);
    expect(answer).toMatchObject({ status: 201, body: { status: "pending" } });
    expect(shop.simulator.orders()).toHaveLength(1);
  });

  test("POST /callbacks paid, which reaches the inbox", async () => {
    const shop = await newShop();
    await receiving["200 stored"]!(shop);
    const [message] = await drain(shop.world.sqs, shop.world.inboxUrl);
    expect(message?.Body).toContain("SO-2026-000481");
    const { examples: requests = {} } =
      paths["/callbacks"]!["post"]!.requestBody!.content["application/json"]!;
    expect(Object.keys(requests)).toEqual(["paid"]);
  });
});
