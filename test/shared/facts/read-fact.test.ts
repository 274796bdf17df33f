import { describe, expect, test } from "vitest";
import type { CallbackContent } from "../../../shared/envelope/open-callback.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readFact, type Statement } from "../../../shared/facts/read-fact.ts";
import { readPaymentResult } from "../../../shared/facts/read-result.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { orderResult, refundResult, sentAt } from "../../builders/callback.ts";
import { thrownBy } from "../../builders/thrown-by.ts";
import { merchantId } from "../orders/facts.ts";

const common = { merchantId, receivedAtMilliseconds: 1_794_705_765_000 };

function textContent(text: string): CallbackContent {
  return { kind: "text", text, result: parseJson(text) };
}

function callback(result: unknown, eventName?: string): Statement {
  const content = textContent(typeof result === "string" ? result : JSON.stringify(result));
  return { ...common, origin: "callback", content, eventName };
}

function query(result: unknown): Statement {
  const content = textContent(JSON.stringify(result));
  return { ...common, origin: "query", content, paymentId: "P1", orderNo: "A" };
}

function codeOf(message: Statement): string {
  const { code, retryable } = thrownBy(PaycastError, () => readFact(message));
  expect(retryable).toBe(false);
  return code;
}

describe("a payment's callback", () => {
  test("states a fact, exactly", () => {
    const fact = readFact(callback(orderResult(), "payment.order.success"));
    expect(fact).toEqual({
      kind: "payment",
      type: "payment.order.success",
      noted: [],
      merchantId,
      origin: "callback",
      learnedAtMilliseconds: common.receivedAtMilliseconds,
      orderNo: "ORDER-2026-000042",
      status: "success",
      transactionId: "TX2026111500000000000000000042",
      amount: { value: "129.95", minor: "12995", currency: "EUR" },
      reason: undefined,
      createdAtMilliseconds: 1_794_705_675_123,
      isCreatedAtWholeSecond: false,
      completedAtMilliseconds: 1_794_705_764_123,
    });
  });

  test("may use either name of a field, and strings for numbers", () => {
    const { referOrderNo, completeTime, ...rest } = orderResult();
    const spelled = {
      ...rest,
      outOrderNo: referOrderNo,
      paidTime: String(completeTime),
      paymentAmount: "129.95",
      paymentTime: String(rest["paymentTime"]),
    };
    expect(readFact(callback(spelled))).toEqual(readFact(callback(orderResult())));
  });

  test("leaves out what is null or empty", () => {
    const bare = orderResult({
      status: "timeout",
      transactionId: null,
      completeTime: "",
      msg: null,
    });
    const { paymentAmount: _paymentAmount, currency: _currency, ...result } = bare;
    expect(readFact(callback(result, "payment.order.timeout"))).toMatchObject({
      status: "timeout",
      transactionId: undefined,
      amount: undefined,
    });
  });

  test("is typed by its status where the event name is not signed", () => {
    expect(readFact(callback(orderResult()))).toMatchObject({ kind: "payment", status: "success" });
    expect(readFact(callback(refundResult()))).toMatchObject({ kind: "refund" });
  });
});

test("a refund's callback states a fact without currency", () => {
  const fact = readFact(
    callback(refundResult({ refundAmount: "29.950" }), "payment.refund.success"),
  );
  expect(fact).toMatchObject({
    kind: "refund",
    refundId: "RF2026111500000042",
    paymentId: "PAY20261115000000000000000000042",
    refundNo: "REFUND-2026-000007",
    amount: { value: "29.95" },
    merchantId,
    origin: "callback",
    createdAtMilliseconds: sentAt - 60_000,
    noted: [],
  });
});

test.each<[name: string, result: object | string, code?: string, eventName?: string]>([
  ["a refund's result", refundResult(), "result-unreadable", "payment.order.success"],
  ["an order's result", orderResult(), "result-unreadable", "payment.refund.success"],
  ["an event that nobody knows", orderResult(), "event-unknown", "payment.order.paid"],
  ["another event than the status", orderResult(), "event-differs", "payment.order.failed"],
  ["another merchant", orderResult({ merchantId: "other" }), "merchant-differs"],
  ["no order", orderResult({ referOrderNo: "" })],
  ["no object", "null"],
  ["a success without amount", orderResult({ paymentAmount: "" })],
  ["a success without currency", orderResult({ currency: "" })],
  ["an amount in words", orderResult({ paymentAmount: "n/a" }), "amount-malformed"],
  ["an amount as an object", orderResult({ paymentAmount: {} })],
  ["a refund's amount in words", refundResult({ refundAmount: "x" }), "amount-malformed"],
  ["a refund without amount", refundResult({ refundAmount: "" })],
  ["a refund without payment", refundResult({ paymentId: "" })],
  ["a refund __proto__", refundResult({ refundId: "__proto__" })],
  ["an id that is no text", orderResult({ transactionId: {} })],
  ["a long id", orderResult({ transactionId: "x".repeat(65) })],
  ["half a character", orderResult({ transactionId: "\ud800" })],
  ["a status of its own", orderResult({ status: "pending" }), "event-differs"],
  ["a refund under way", refundResult({ status: "refunding" }), "event-differs"],
  ["an amount of too many digits", '{"paymentAmount":1e999999999}', "number-inexact"],
  ["an order number that is not whole", '{"referOrderNo":1.0000000000000001}', "number-inexact"],
  ["too deep to say which merchant", '{"a":{"merchantId":"b"}}'],
])("is not guessed at: %s", (_case, result, code = "result-unreadable", eventName?: string) => {
  expect(codeOf(callback(result, eventName))).toBe(code);
});

test("says that a text is no JSON", () => {
  expect(() => readFact(callback("no JSON"))).toThrow("is not JSON");
});

/** A callback with further text in its result object, before everything else. */
const withText = (text: string, result: object = orderResult()) =>
  callback(`{${text},${JSON.stringify(result).slice(1)}`);

describe("a payment's callback that states money twice", () => {
  test.each([
    ["the same amount", '"payAmount":129.95'],
    ["it in other words", '"payAmount":"129.950"'],
    ["no second amount", '"payAmount":null,"payAmount":""'],
    ["the same currency", '"currency":"EUR"'],
    ["the same amount under one name", '"paymentAmount":1.2995E+2'],
    ["another amount inside of another field", '"other":{"payAmount":1,"currency":"USD"}'],
  ])("contradicts nothing with %s", (_case, text) => {
    expect(readFact(withText(text))).toMatchObject({ amount: { value: "129.95" }, noted: [] });
  });

  test.each([
    ["another amount", '"payAmount":129.96'],
    ["an amount that cannot be read", '"payAmount":"much"'],
    ["another amount under one name", '"paymentAmount":1'],
    ["another currency", '"currency":"USD"'],
    ["a currency in other letters", '"currency":"eur"'],
  ])("is flagged with %s, and the table's amount counts", (_case, text) => {
    const fact = readFact(withText(text));
    expect(fact).toMatchObject({
      amount: { value: "129.95", currency: "EUR" },
      noted: ["contradicted"],
    });
  });

  test("is flagged beside what else is noted, also where no money moved", () => {
    const result = orderResult({ status: "failed", completeTime: "soon" });
    const fact = readFact(withText('"payAmount":1', result));
    expect(fact).toMatchObject({ status: "failed", noted: ["contradicted", "unreadableTime"] });
  });

  test("is not flagged if the amount of an unpaid order cannot be read at all", () => {
    const result = orderResult({ status: "failed", paymentAmount: "x" });
    expect(readFact(withText('"payAmount":1', result))?.noted).toEqual(["unreadableAmount"]);
  });
});

test("a refund's callback with two amounts is flagged", () => {
  const twice = (amount: string) => withText(`"refundAmount":${amount}`, refundResult());
  expect(readFact(twice("1"))).toMatchObject({ noted: ["contradicted"] });
  expect(readFact(twice('"29.950"'))).toMatchObject({ amount: { value: "29.95" }, noted: [] });
});

test("of a query's answer, the amount of its own table counts", () => {
  const answer = { status: "success", payAmount: 5, paymentAmount: 6, currency: "EUR" };
  expect(readFact(query({ ...answer, merchantId }))).toMatchObject({
    amount: { value: "5.00" },
    noted: ["contradicted"],
  });
});

describe("a callback that names two", () => {
  test.each([
    ["orders", '"outOrderNo":"ANOTHER"', orderResult()],
    ["orders by one name", '"referOrderNo":"ANOTHER"', orderResult()],
    ["orders, one of them by a number", '"outOrderNo":7', orderResult()],
    ["statuses", '"status":"failed"', orderResult()],
    ["merchants", '"merchantId":"ANOTHER"', orderResult()],
    ["transactions", '"transactionId":"T9"', orderResult()],
    ["payments", '"paymentId":"P9"', refundResult()],
    ["refunds", '"refundId":"R9"', refundResult()],
  ])("%s is for a person", (_case, text, result) => {
    expect(codeOf(withText(text, result))).toBe("result-contradicted");
  });

  test("spellings of one order names one order", () => {
    const result = orderResult({ outOrderNo: 42, referOrderNo: "42" });
    expect(readFact(callback(result))).toMatchObject({ orderNo: "42" });
    const refund = withText('"referOrderNo":"A","outOrderNo":"B"', refundResult());
    expect(readFact(refund)).toMatchObject({ kind: "refund" });
  });
});

describe("a query's answer", () => {
  const answer = { status: "success", transactionId: "T", payAmount: 5, currency: "JPY" };

  test("is matched by what was asked, not by the number in it", () => {
    expect(readFact(query({ ...answer, referOrderNo: "REFUND-1" }))).toMatchObject({
      orderNo: "A",
      paymentId: "P1",
      origin: "query",
      amount: { value: "5", minor: "5", currency: "JPY" },
    });
  });

  test("states no fact of a payment when the status is pending", () => {
    expect(readFact(query({ ...answer, status: "pending" }))).toBeUndefined();
  });

  describe.each(["refunding", "refund_success", "refund_failed"])(
    "with the status %s",
    (status) => {
      const refund = {
        ...answer,
        status,
        transactionId: "T9",
        paymentTime: 1,
        paidTime: 2,
        msg: "m",
      };

      test("states that the payment was paid, without what may be the refund's", () => {
        const fact = readFact(query({ ...refund, referOrderNo: "REFUND-1" }));
        expect(fact).toEqual({
          kind: "payment",
          type: "payment.order.success",
          status: "success",
          merchantId: common.merchantId,
          orderNo: "A",
          paymentId: "P1",
          origin: "query",
          learnedAtMilliseconds: common.receivedAtMilliseconds,
          amount: { value: "5", minor: "5", currency: "JPY" },
          refundStatus: status,
          noted: [],
        });
      });

      test.each([
        ["without an amount", { payAmount: undefined }],
        ["with one that cannot be read", { payAmount: "a lot" }],
        ["without a currency", { currency: "" }],
      ])("states nothing %s", (_case, changes) => {
        expect(readFact(query({ ...refund, ...changes }))).toBeUndefined();
      });

      test("of another merchant is not believed", () => {
        expect(codeOf(query({ ...refund, merchantId: "M9" }))).toBe("merchant-differs");
      });
    },
  );

  test("with a status that nobody knows is not guessed at", () => {
    expect(codeOf(query({ ...answer, status: "paid" }))).toBe("result-unreadable");
  });
});

describe("spellings that differ between senders", () => {
  test.each([0, "0", null, ""])("a time of %j is no time", (completeTime) => {
    const fact = readFact(callback(orderResult({ completeTime }), "payment.order.success"));
    expect(fact?.completedAtMilliseconds).toBeUndefined();
    expect(fact).toMatchObject({ status: "success", noted: [] });
  });

  test.each([
    ["1E+3", "1000.00"],
    ["1.25e1", "12.50"],
    ["90071992547409.93", "90071992547409.93"],
    ["12.50000000000000000000", "12.50"],
    ['"1E+3"', "1000.00"],
  ])("an amount of %s is %s", (written, value) => {
    const json = JSON.stringify(orderResult({ paymentAmount: 0, currency: "EUR" }));
    const changed = json.replace('"paymentAmount":0', `"paymentAmount":${written}`);
    expect(readFact(callback(changed, "payment.order.success"))).toMatchObject({
      amount: { value },
    });
  });

  test("of an amount that is named twice, the last one counts, as in JSON.parse", () => {
    const json = JSON.stringify(orderResult({ paymentAmount: 0, currency: "EUR" }));
    const changed = json.replace('"paymentAmount":0', '"paymentAmount":5,"paymentAmount":7');
    expect(readFact(callback(changed, "payment.order.success"))).toMatchObject({
      amount: { value: "7.00" },
      noted: ["contradicted"],
    });
  });

  test("a long id of digits may be a number", () => {
    const json = JSON.stringify(orderResult({ transactionId: 0, referOrderNo: 1 }));
    const changed = json
      .replace('"transactionId":0', '"transactionId":12345678901234567890')
      .replace('"referOrderNo":1', '"referOrderNo":1E+3');
    expect(readFact(callback(changed, "payment.order.success"))).toMatchObject({
      transactionId: "12345678901234567890",
      orderNo: "1000",
    });
  });

  test("an id of digits may be a number", () => {
    const result = orderResult({ transactionId: 4711, referOrderNo: 42 });
    const fact = readFact(callback(result, "payment.order.success"));
    expect(fact).toMatchObject({ transactionId: "4711", orderNo: "42" });
    expect(readPaymentResult(result, "callback").state.amount?.value).toBe("129.95");
  });
});

test("a query's answer that names another merchant is not believed", () => {
  expect(codeOf(query(orderResult({ merchantId: "208800000000000009" })))).toBe("merchant-differs");
  expect(readFact(query(orderResult({ merchantId: undefined })))?.status).toBe("success");
});

test("an authentic body that is no text is for a person", () => {
  const content = { kind: "not-utf-8", bytes: Buffer.from([0xff]) } as const;
  expect(codeOf({ ...common, origin: "callback", content })).toBe("plaintext-not-utf-8");
});

describe("numbers that nobody needs exactly", () => {
  const success = JSON.stringify(orderResult({ paymentAmount: "129.95" }));

  test.each([
    ["a time of nanoseconds", '"completeTime":1794705765123456789'],
    ["a time with an exponent", '"completeTime":1.794705765123E12'],
    ["a new field", '"exchangeRate":1.0E-4'],
    ["a new object", '"risk":{"paymentAmount":0.12345678901234567}'],
  ])("do not hold money back: %s", (_case, field) => {
    const fact = readFact(callback(success.replace("{", `{${field},`)));
    expect(fact).toMatchObject({ status: "success", amount: { minor: "12995" } });
  });
});

describe("what moved no money", () => {
  test.each([
    ["a currency that is none", { currency: "RMB" }],
    ["an amount in words", { paymentAmount: "n/a" }],
    ["a negative amount", { paymentAmount: -1 }],
  ])("is not quarantined for its amount: %s", (_case, fields) => {
    const fact = readFact(callback(orderResult({ status: "timeout", ...fields })));
    expect(fact).toMatchObject({ status: "timeout", noted: ["unreadableAmount"] });
    expect(fact!.amount).toBeUndefined();
  });

  test.each([
    ["that cannot be read", {}, ["unreadableAmount"]],
    ["that is missing", "", []],
  ])("is not quarantined for a failed refund's amount %s", (_case, refundAmount, noted) => {
    const fact = readFact(callback(refundResult({ status: "refund_failed", refundAmount })));
    expect(fact).toMatchObject({ status: "refund_failed", amount: undefined, noted });
  });

  test("keeps an amount that is reported with its currency, and no other", () => {
    const result = orderResult({ status: "timeout" });
    expect(readFact(callback(result))).toMatchObject({ amount: { minor: "12995" }, noted: [] });
    for (const name of ["paymentAmount", "currency"]) {
      const fact = readFact(callback({ ...result, [name]: null }));
      expect(fact).toMatchObject({ amount: undefined, noted: [] });
    }
  });
});

test("a time that can be read under its other name is read, if its own says nothing", () => {
  for (const completeTime of ["soon", 1_794_705_764_123]) {
    const paidTime = completeTime === "soon" ? 1_794_705_764_123 : sentAt;
    const fact = readFact(callback(orderResult({ completeTime, paidTime })));
    expect(fact).toMatchObject({ completedAtMilliseconds: 1_794_705_764_123, noted: [] });
  }
});

describe("times in seconds or RFC 3339", () => {
  const [createdAtMilliseconds, completedAtMilliseconds] = [1_794_705_705_000, 1_794_705_764_000];

  test.each([
    [1_794_705_705, 1_794_705_764],
    ["1794705705", "1794705764"],
    ["2026-11-15T01:21:45Z", "2026-11-15T10:22:44+09:00"],
  ])("are read in a payment's and in a refund's result: %s", (createTime, completeTime) => {
    const read = { createdAtMilliseconds, completedAtMilliseconds, noted: [] };
    const paid = readFact(callback(orderResult({ paymentTime: createTime, completeTime })));
    expect(paid).toMatchObject({ ...read, isCreatedAtWholeSecond: true });
    const refund = readFact(callback(refundResult({ refundTime: createTime, completeTime })));
    expect(refund).toMatchObject(read);
  });

  test("have milliseconds or not", () => {
    const fact = readFact(callback(orderResult({ paymentTime: "2026-11-15T01:21:45.000Z" })));
    expect(fact).toMatchObject({ createdAtMilliseconds, isCreatedAtWholeSecond: false });
  });
});

describe("what only informs and cannot be read", () => {
  test.each([
    ["completeTime", 17_947_057_640, "unreadableTime", "completedAtMilliseconds"],
    ["completeTime", "2026-11-15T01:22:44", "unreadableTime", "completedAtMilliseconds"],
    ["paymentTime", "2026-11-15", "unreadableTime", "createdAtMilliseconds"],
    ["msg", 7, "unreadableReason", "reason"],
  ])("%s is left out and noted", (name, value, flag, field) => {
    const fact = readFact(callback(orderResult({ [name]: value }), "payment.order.success"));
    expect(fact).toMatchObject({ status: "success", noted: [flag], [field]: undefined });
  });

  test("is cut where it is long, between two characters", () => {
    const fact = readFact(callback(orderResult({ msg: "\u{1d49c}".repeat(5_000) })));
    expect([...fact!.reason!]).toHaveLength(256);
    expect(fact!.reason!.isWellFormed()).toBe(true);
    expect(fact!.noted).toEqual([]);
  });
});
