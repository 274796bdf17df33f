import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PaycastEventError } from "../../../shared/consumer/event-error.ts";
import { parseEvent } from "../../../shared/consumer/parse-event.ts";
import { eventExamples } from "../../../tools/contract/documents/events/event-examples.ts";
import { committedSchemas } from "../../builders/event-validator.ts";
import { thrownBy } from "../../builders/thrown-by.ts";
import { draws } from "../../setup/draws.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
type Json = Record<string, any>;
const examples: Json[] = Object.values(eventExamples()).map((event) =>
  JSON.parse(JSON.stringify(event)),
);
const [paid] = examples.filter(({ type }) => type === "payment.order.success");
const success: Json = paid!;
const [refunded] = examples.filter(({ type }) => type === "payment.refund.success");
const refund: Json = refunded!;

function errorOf(body: unknown): PaycastEventError {
  return thrownBy(PaycastEventError, () => parseEvent(body));
}

/** A copy in which one field, named by its path, has another value; `undefined` removes it. */
function changed(event: Json, path: string, value: unknown): Json {
  const copy = structuredClone(event);
  const names = path.split(".");
  const last = names.pop()!;
  const parent = names.reduce((object, name) => object[name], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

describe("an event of a known type", () => {
  test.each(examples)("comes back as it is, from text and from JSON: $type", (event) => {
    expect(parseEvent(JSON.stringify(event))).toEqual(event);
    expect(parseEvent(event)).toEqual(event);
  });

  test("keeps fields that this version does not know", () => {
    const more = changed(changed(success, "data.order.loyaltyPoints", 12), "newattribute", "x");
    expect(parseEvent(more)).toEqual(more);
  });

  test("may be a refund whose amount has no currency", () => {
    const event = changed(refund, "data.amount", { value: "12.3" });
    expect(parseEvent(event)).toEqual(event);
    expect(committedSchemas().validate(event["dataschema"], event["data"])).toBe(true);
  });

  test("may have flags and an origin that this version does not know", () => {
    const more = changed(changed(success, "data.flags", ["newFlag"]), "origin", "import");
    expect(parseEvent(more)).toEqual(more);
  });

  test("tells its data by its type", () => {
    const event = parseEvent(success);
    // No cast: the compiler knows that a success has an amount.
    expect(event.type === "payment.order.success" && event.data.amount.minor).toBe("1230");
  });
});

describe("an event of a type that this version does not know", () => {
  const sent = { ...success, type: "payment.order.cancelled", dataschema: "urn:x:2", data: [1] };

  test("is the branch `unknown`, with its envelope and whatever data it has", () => {
    expect(parseEvent(sent)).toEqual({
      ...sent,
      type: "unknown",
      unknownType: "payment.order.cancelled",
    });
  });

  test.each(["constructor", "__proto__", "toString"])("also if its name is %s", (type) => {
    expect(parseEvent({ ...sent, type })).toMatchObject({ type: "unknown", unknownType: type });
  });

  test("still needs the envelope of an event", () => {
    expect(errorOf({ ...sent, sequence: "7" })).toMatchObject({
      code: "event-malformed",
      path: "/sequence",
    });
  });
});

test("a newer schema of a known type is refused, so that nobody ignores it", () => {
  const newer = { ...success, dataschema: "urn:paycast:schema:payment-order-event:2" };
  expect(errorOf(newer)).toMatchObject({ code: "schema-unknown", path: "/dataschema" });
});

describe("what is not an event", () => {
  const secret = "4111-1111";

  test.each([
    ["id", undefined, "/id"],
    ["id", "", "/id"],
    ["type", undefined, "/type"],
    ["dataschema", undefined, "/dataschema"],
    ["specversion", "0.3", "/specversion"],
    ["data", undefined, "/data"],
    ["data", null, "/data"],
    ["data.status", "timeout", "/data/status"],
    ["data.amount", undefined, "/data/amount"],
    ["data.amount.minor", 1230, "/data/amount/minor"],
    ["data.amount.minor", "12.3", "/data/amount/minor"],
    ["data.flags", secret, "/data/flags"],
    ["data.flags", ["late", 7], "/data/flags/1"],
    ["data.order.status", secret, "/data/order/status"],
    ["data.order.paymentIds", [secret, {}], "/data/order/paymentIds/1"],
    ["data.order.expectedAmount.currency", secret, "/data/order/expectedAmount/currency"],
  ])("is refused with the path of the fault: %s = %j", (path, value, at) => {
    const error = errorOf(changed(success, path, value));
    expect(error).toMatchObject({ name: "PaycastEventError", code: "event-malformed", path: at });
    expect(`${error.message} ${error.stack}`).not.toContain(secret);
  });

  test.each([
    ["a currency that is no text", { currency: 840 }],
    ["a currency that is no code", { currency: "dollars" }],
    ["minor units that are no text", { minor: 1230 }],
    ["minor units without a currency", { currency: undefined }],
    ["a currency without minor units", { minor: undefined }],
  ])("is refused if the amount of a refund has %s", (_case, wrong) => {
    const amount = JSON.parse(JSON.stringify({ ...refund["data"].amount, ...wrong }));
    const event = changed(refund, "data.amount", amount);
    expect(errorOf(event)).toMatchObject({ code: "event-malformed", path: "/data/amount" });
    expect(committedSchemas().validate(event["dataschema"], event["data"])).toBe(false);
    const snapshot = changed(refund, "data.payment.refunds.0.amount", amount);
    expect(errorOf(snapshot).path).toBe("/data/payment/refunds/0/amount");
  });

  test.each([null, 7, [], undefined, true])("is refused: %j", (value) => {
    expect(errorOf(value)).toMatchObject({ code: "event-malformed", path: "/" });
  });

  test("is refused if it is not JSON, and the error does not quote it", () => {
    const error = errorOf(`${secret}{`);
    expect(error.code).toBe("body-not-json");
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain(secret);
  });
});

test("the parser accepts exactly what the committed JSON Schemas accept", () => {
  const ajv = committedSchemas();
  const paths = (value: unknown, at = ""): string[] =>
    Object.entries(Object(value)).flatMap(([key, inner]) => {
      const own = at === "" ? key : `${at}.${key}`;
      return typeof inner === "string" ? [own] : [own, ...paths(inner, own)];
    });
  const other = fc.oneof(
    fc.constantFrom(undefined, null, "", "x", 0, [], {}, "success", "refund_failed", ["late"]),
    fc.jsonValue(),
  );
  const places = examples.flatMap((event) => paths(event).map((path) => ({ event, path })));
  const verdicts = { accepted: 0, refused: 0 };
  const numRuns = draws(2_000);
  fc.assert(
    fc.property(fc.constantFrom(...places), other, ({ event, path }, value) => {
      // These three decide which schema applies.
      fc.pre(!["type", "dataschema", "data"].includes(path));
      // Times are an annotation for the parser: an unreadable one must not hold up money.
      fc.pre(!/(time|At)$/.test(path) || typeof value !== "string");
      const body = changed(event, path, value);
      const valid = ajv.validate(`urn:paycast:schema:${event["type"]}:1`, body);
      verdicts[valid ? "accepted" : "refused"] += 1;
      if (valid) expect(parseEvent(body)).toEqual(body);
      else expect(errorOf(body).code).toBe("event-malformed");
    }),
    { numRuns },
  );
  expect(verdicts.accepted).toBeGreaterThan(numRuns / 20);
  expect(verdicts.refused).toBeGreaterThan(numRuns / 4);
});
