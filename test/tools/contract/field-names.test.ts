import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeOrderEvent, makeRefundEvent } from "../../../shared/events/make-event.ts";
import type { PaymentFact, RefundFact } from "../../../shared/facts/fact.ts";
import { readFact, type Statement } from "../../../shared/facts/read-fact.ts";
import { readPaymentResult } from "../../../shared/facts/read-result.ts";
import { createPayment } from "../../../shared/gateway/operations.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { beginCreation, endCreation } from "../../../shared/orders/creation.ts";
import { newOrder } from "../../../shared/orders/order.ts";
import { viewForeignPayment, viewOrder } from "../../../shared/storefront/order-view.ts";
import { fieldNames, fieldNamesTable } from "../../../tools/contract/documents/field-names.ts";
import { settingsOf } from "../../shared/gateway/make-gateway.ts";
import { expected, linkedPayment, merchantId, statusFact } from "../../shared/orders/facts.ts";

type Fields = Record<string, unknown>;

const now = Date.UTC(2026, 10, 15, 1, 22, 45, 123);
const orderNo = "A";
const fresh = { stale: false, nowMilliseconds: now };
const provenance = { source: "s", traceparent: "t", callbackId: "c", reportedAtMilliseconds: now };

/** Each field of the interface with a value of its own, so that it can be found again. */
const results = {
  "2.7": {
    paymentId: "P-created",
    referOrderNo: orderNo,
    channel: "APP",
    status: "pending",
    checkoutUrl: "https://pay.example/checkout",
  },
  "2.9": {
    status: "success",
    transactionId: "T-asked",
    msg: "words of 2.9",
    merchantId,
    referOrderNo: "N-asked",
    payAmount: "12.50",
    currency: "EUR",
    paymentTime: now + 1,
    paidTime: now + 2,
  },
  "2.11": {
    status: "success",
    transactionId: "T-reported",
    msg: "words of 2.11",
    merchantId,
    referOrderNo: orderNo,
    paymentAmount: "12.50",
    currency: "EUR",
    paymentTime: now + 3,
    completeTime: now + 4,
  },
  "2.12": {
    status: "refund_success",
    transactionId: "T-refund",
    msg: "words of 2.12",
    merchantId,
    refundId: "R1",
    paymentId: "P1",
    referRefundNo: "RMA-1",
    refundAmount: "2.50",
    refundTime: now + 5,
    completeTime: now + 6,
  },
} satisfies Record<keyof typeof fieldNames, Fields>;

interface Published {
  readonly data: object;
  readonly answer: object;
}

type Section = keyof typeof results;

/** What Paycast makes of a result object or an answer: the data of an event, and the order of an answer. */
const publish: Record<Section, (fields: Fields) => Promise<Published>> = {
  "2.7": async (fields) => {
    const request = { amount: expected, content: {}, callbackUrl: "https://a.example" };
    const times = { paymentTimeMilliseconds: now, expiresAtMilliseconds: now + 1 };
    const sent = { ...request, ...times, channel: String(fields["channel"]) };
    const begun = beginCreation(newOrder(merchantId, orderNo), sent, "one", now);
    if (begun.kind !== "begun") throw new Error(begun.kind);
    const json = JSON.stringify({ code: 20000, data: fields });
    const answer = await createPayment(
      async ({ read }) => read({ httpStatus: 200, data: fields, json }),
      settingsOf(new URL("https://a.example/")),
      merchantId,
      { order: { orderNo } },
    );
    if (answer.state === "other-order") throw new Error(answer.state);
    const order = endCreation(begun.order, "one", answer);
    const fact = statusFact("confirming", { orderNo });
    const { data } = makeOrderEvent(fact, applyPaymentFact(order, fact), provenance);
    return { data, answer: viewOrder(order, [], fresh) };
  },
  "2.9": async (fields) => {
    const published = ofPayment({ ...learned(fields), origin: "query", orderNo, paymentId: "P1" });
    const result = readPaymentResult(fields, "query");
    const foreign = viewForeignPayment(linkedPayment(), result, now);
    return { ...published, answer: { ...published.answer, orderNo: foreign.orderNo } };
  },
  "2.11": async (fields) => ofPayment({ ...learned(fields), origin: "callback" }),
  "2.12": async (fields) => {
    const fact = readFact({ ...learned(fields), origin: "callback" }) as RefundFact;
    const applied = applyRefundFact(linkedPayment(), fact);
    const { data } = makeRefundEvent(fact, applied, provenance);
    return { data, answer: viewOrder(newOrder(merchantId, orderNo), [applied.aggregate], fresh) };
  },
};

function learned(result: Fields) {
  const content = { kind: "text", text: JSON.stringify(result), result } as const;
  return { merchantId, content, receivedAtMilliseconds: now };
}

function ofPayment(statement: Statement): Published {
  const fact = readFact(statement) as PaymentFact;
  const applied = applyPaymentFact(newOrder(merchantId, orderNo), fact);
  const { data } = makeOrderEvent(fact, applied, provenance);
  return { data, answer: viewOrder(applied.aggregate, [], fresh) };
}

/** The value at a path such as "refunds[].amount.value". */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split(/\.|(?=\[\])/)
    .reduce<unknown>(
      (part, name) => (name === "[]" ? (part as unknown[])[0] : (part as Fields)?.[name]),
      value,
    );
}

function asPublished(value: unknown): unknown {
  return typeof value === "number" ? new Date(value).toISOString() : value;
}

const rows = (Object.keys(results) as Section[]).flatMap((section) =>
  fieldNames[section].map((names) => [section, names.field, names] as const),
);

describe("the table of names", () => {
  test.each(rows)("§%s %s goes where it says", async (section, field, names) => {
    const { [field]: value, ...others }: Fields = results[section];
    for (const name of [field, names.alias ?? field]) {
      const { data, answer } = await publish[section]({ ...others, [name]: value });
      const { inEvents, inAnswers } = names;
      if (inEvents) expect(valueAt(data, inEvents), inEvents).toBe(asPublished(value));
      if (inAnswers) expect(valueAt(answer, inAnswers), inAnswers).toBe(asPublished(value));
    }
  });

  test.each(Object.keys(results) as Section[])("has every field of §%s, once", (section) => {
    const listed = fieldNames[section].map(({ field }) => field);
    expect(listed.toSorted()).toEqual(Object.keys(results[section]).toSorted());
  });

  test("is in docs/interface.md", () => {
    const page = readFileSync(new URL("../../../docs/interface.md", import.meta.url), "utf8");
    expect(page).toContain(fieldNamesTable());
  });

  test("an answer to create that names another order is not believed", async () => {
    const other = { ...results["2.7"], referOrderNo: "B" };
    await expect(publish["2.7"](other)).rejects.toThrow();
  });
});
