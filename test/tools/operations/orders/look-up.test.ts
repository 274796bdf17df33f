import { describe, expect, test } from "vitest";
import { keyOfId } from "../../../../shared/envelope/deduplication.ts";
import type { ReceiptEntry } from "../../../../tools/operations/timeline/receipt-entry.ts";
import { addAttempts } from "../../../../tools/operations/timeline/whole-timeline.ts";
import { orderResult, refundResult } from "../../../builders/callback.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { callback, operator } from "../attention/put-aside.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack({ merchants: ["shop-1", "shop-2"] });
const { paycast, paycastJson } = operated;

async function create(orderNo: string, merchantId = "shop-1"): Promise<string> {
  const paymentExpiryTime = Date.now() + 23 * 3_600_000;
  const made = await operated.shop().create(orderNo, { merchantId, paymentExpiryTime });
  expect(made.status).toBe(201);
  return made.body.paymentId;
}

/** An order that is paid, once the events of both its callbacks are delivered. */
async function paid(orderNo: string) {
  const paymentId = await create(orderNo);
  await operated.shop().act(paymentId, "pay");
  return await until("both callbacks", async () => {
    const timeline = await paycastJson("order", orderNo);
    const receipts = timeline.entries.filter(({ kind }: ReceiptEntry) => kind === "receipt");
    const isSent = receipts.every(({ published }: ReceiptEntry) =>
      published?.deliveries.every(({ state }) => state === "sent"),
    );
    return receipts.length === 2 && isSent ? { paymentId, timeline, receipts } : undefined;
  });
}

describe("an order", () => {
  test("is found by its number, its payment, its transaction, and says as what", async () => {
    const { paymentId, timeline } = await paid("LOOK-1");
    const { transactionId } = timeline.order;
    const texts = [
      ["LOOK-1", "order number"],
      [paymentId, "payment"],
      [transactionId, "transactionId"],
    ];
    for (const [text, what] of texts) {
      const found = await paycastJson("order", text);
      expect(found).toMatchObject({
        found: { what },
        orderNo: "LOOK-1",
        entries: timeline.entries,
      });
      expect(found.callback).toBeUndefined();
    }
    const { out } = await paycast("order", transactionId);
    expect(out).toMatch(
      /^Found as transactionId of merchant shop-1, order LOOK-1\.\n\norder +LOOK-1/,
    );
    expect((await paycast("order", "LOOK-1")).out).toMatch(/^order +LOOK-1\n/);
  });

  test("is not found by a text that its callback has in a field which names nothing", async () => {
    await paid("LOOK-AMOUNT");
    for (const text of ["12.30", "success", "shop-1"]) {
      expect(await paycast("order", text)).toMatchObject({ code: 1, out: "" });
    }
  });
});

describe("a callback", () => {
  test("is shown with its record, what it said and its requests, above its order", async () => {
    const { receipts } = await paid("LOOK-2");
    const success = receipts.find(({ type }: ReceiptEntry) => type === "payment.order.success");
    const { callbackId } = success;
    for (const id of [callbackId, callbackId.toUpperCase(), callbackId.replaceAll("-", "")]) {
      const { found, orderNo, callback: shown } = await paycastJson("order", id);
      expect({ found, orderNo }).toMatchObject({ found: { what: "callback" }, orderNo: "LOOK-2" });
      expect(shown.receipts).toMatchObject([{ callbackId, type: "payment.order.success" }]);
      expect(shown.attempts).toMatchObject([{ outcome: "accepted", httpStatus: 200 }]);
    }
    const { out } = await paycast("order", callbackId);
    expect(out).toContain('"referOrderNo": "LOOK-2"');
    expect(out).toMatch(
      /Z {2}attempt {3}returned 200 in \d+ ms {2}accepted {2}verified by the current keys\n\norder +LOOK-2/,
    );
    expect(out.match(/"referOrderNo"/g)).toHaveLength(1);
  });

  test("has its refused requests too, with the reason that the sender does not learn", async () => {
    const paymentId = await create("LOOK-3");
    await operated.shop().fault("wrong-key", "LOOK-3", { attempts: 1 });
    await operated.shop().act(paymentId, "pay");
    const shown = await until("an accepted callback that was refused before", async () => {
      const { entries } = await paycastJson("order", "LOOK-3");
      const ids = entries.flatMap(({ callbackId }: ReceiptEntry) => callbackId ?? []);
      const all = await Promise.all(ids.map((id: string) => paycastJson("order", id)));
      return all.map((entry) => entry.callback).find(({ attempts }) => attempts.length > 1);
    });
    expect(shown.attempts.map(({ httpStatus }: { httpStatus: number }) => httpStatus)).toEqual([
      401, 200,
    ]);
    const { out } = await paycast("order", shown.receipts[0].callbackId);
    expect(out).toMatch(/Z {2}attempt {3}returned 401 in \d+ ms {2}not-authentic/);
  });

  test.each([["number"], ["braces"], ["text"]])(
    "whose id is no GUID (%s) is found by its id and by the hash in the log, with its requests",
    async (how) => {
      await operated.shop().fault("other-id", `OTHER-ID-${how}`, { how });
      const { receipts, timeline } = await paid(`OTHER-ID-${how}`);
      const target = operated.target();
      const whole = await addAttempts(target, timeline);
      const brought = whole.entries.flatMap((entry) =>
        entry.kind === "receipt" ? entry.answered?.callbackId : [],
      );
      expect(brought).toEqual(
        receipts.map((receipt: ReceiptEntry) => keyOfId(receipt.callbackId!)),
      );
      const { callbackId } = receipts[0];
      for (const text of [callbackId, keyOfId(callbackId)]) {
        const { orderNo, callback: shown } = await paycastJson("order", text);
        expect(orderNo).toBe(`OTHER-ID-${how}`);
        expect(shown.attempts.map((attempt: ReceiptEntry) => attempt.callbackId)).toEqual([
          keyOfId(callbackId),
        ]);
      }
    },
  );

  test("of a hostile order number cannot drive the terminal", async () => {
    const { receipts } = await paid("A\u202e'b");
    const { out } = await paycast("order", receipts[0].callbackId);
    expect(out).toContain("of merchant shop-1, order A\ufffd'b.\n");
    expect(out).not.toContain("\u202e");
  });

  test("that names no order is shown alone", async () => {
    const paymentId = await create("LOOK-4");
    await operated.shop().fault("malformed-result", "LOOK-4");
    await operated.shop().act(paymentId, "pay");
    const id = await until("its callback", async () => {
      const sent = await operated.shop().control("GET", `/orders/${paymentId}`);
      return sent.callbacks.find(({ state }: { state: string }) => state === "delivered")?.id;
    });
    const out = await until("the record", async () => {
      const run = await paycast("order", id);
      return run.code === 0 ? run.out : undefined;
    });
    expect(out).toMatch(
      /^Found as callback of merchant shop-1, linked to no order, quarantined\.\n/,
    );
    expect(out).toMatch(/Z {2}attempt {3}returned 200/);
  });
});

test("a payment that no order has is shown with what is recorded of it", async () => {
  const result = refundResult({ merchantId: "shop-1", paymentId: "P-ALONE" });
  const refund = callback({
    eventName: "payment.refund.success",
    text: JSON.stringify(result),
  });
  await operator(operated).toInbox(refund);
  const found = await until("the refund", async () => {
    const run = await paycast("order", "P-ALONE", "--json");
    // While it is being recorded, the records may have it before the index was asked.
    return run.out.includes('"what": "payment"') ? JSON.parse(run.out) : undefined;
  });
  expect(found).toMatchObject({ found: { what: "payment" }, receipts: [{ paymentId: "P-ALONE" }] });
  const { out } = await paycast("order", "P-ALONE");
  expect(out).toMatch(
    /^Found as payment of merchant shop-1, linked to no order\.\n\n.*payment\.refund\.success/,
  );
});

describe("a text that stands for several things", () => {
  test("is answered with the list of them, and with what chooses each", async () => {
    await create("LOOK-5", "shop-1");
    const second = await create("LOOK-5", "shop-2");
    const { code, err } = await paycast("order", "LOOK-5");
    expect(code).toBe(2);
    expect(err).toContain("This matches 2 things. Choose one:\n");
    expect(err).toContain(
      "  order number of merchant shop-1, order LOOK-5, pending: add --as order --merchant shop-1\n  order number of merchant shop-2, order LOOK-5, pending: add --as order --merchant shop-2\n",
    );
    const chosen = await paycastJson("order", "LOOK-5", "--as", "order", "--merchant", "shop-2");
    expect(chosen.order).toMatchObject({ merchantId: "shop-2", paymentId: second });
  });

  test("is looked for as one kind alone with --as", async () => {
    const paymentId = await create("LOOK-6");
    await create(paymentId);
    const { err } = await paycast("order", paymentId);
    expect(err).toContain(`order ${paymentId}, pending: add --as order`);
    expect(err).toContain("order LOOK-6, pending: add --as payment");
    expect((await paycastJson("order", paymentId, "--as", "payment")).orderNo).toBe("LOOK-6");
    expect((await paycastJson("order", paymentId, "--as", "order")).orderNo).toBe(paymentId);
    expect(await paycast("order", paymentId, "--as", "callback")).toMatchObject({ code: 1 });
    expect(await paycast("order", paymentId, "--as", "event")).toMatchObject({ code: 2 });
  });

  test("is looked for as a transaction if that is asked for, whatever indexes have", async () => {
    const { timeline } = await paid("LOOK-7");
    const { transactionId } = timeline.order;
    await create(transactionId);
    expect((await paycastJson("order", transactionId)).orderNo).toBe(transactionId);
    const found = await paycastJson("order", transactionId, "--as", "transaction");
    expect(found).toMatchObject({ orderNo: "LOOK-7", found: { what: "transactionId" } });
  });
});

test("orders of one transaction are each chosen by a command that a shell takes literally", async () => {
  const numbers = ["TWICE-1", "it's $(reboot)"];
  for (const orderNo of numbers) {
    const result = orderResult({
      merchantId: "shop-1",
      referOrderNo: orderNo,
      transactionId: "TX-TWICE",
    });
    await operator(operated).toInbox(callback({ orderNo, text: JSON.stringify(result) }));
  }
  const err = await until("both orders", async () => {
    const run = await paycast("order", "TX-TWICE");
    return run.code === 2 ? run.err : undefined;
  });
  expect(err).toContain(": npx paycast order TWICE-1 --merchant shop-1\n");
  expect(err).toContain(String.raw`: npx paycast order 'it'\''s $(reboot)' --merchant shop-1`);
});

describe("what is not stored", () => {
  test("is the answer no, with what was searched and where else it can be", async () => {
    const { code, err } = await paycast("order", "NOBODY-1");
    expect(code).toBe(1);
    expect(err).toMatch(
      /No stored order number, payment or callback matches\. No transaction, refund or event matches in \d+ recent callbacks?, since \d{4}-.*Z\. /,
    );
    expect(err).toContain("npx paycast requests");
  });

  test("of one kind or one merchant is searched only there", async () => {
    const { err } = await paycast("order", "NOBODY-1", "--as", "payment", "--merchant", "shop-2");
    expect(err).toContain("No stored payment of merchant shop-2 matches. The record may have");
    const { err: message } = await paycast("order", "NOBODY-1", "--as", "transaction");
    expect(message).toMatch(/^paycast order: No transaction matches in \d+ recent/);
    expect(await paycast("order", "")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Give NUMBER."),
    });
  });
});
