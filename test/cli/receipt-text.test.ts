import { expect, test } from "vitest";
import { needsText } from "../../cli/commands/order.ts";
import { receiptText } from "../../cli/frame/receipt-text.ts";
import { toReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import { createColours } from "../../shared/terminal-text.ts";
import { callback } from "../operations/quarantine/put-aside.ts";
import { recordOf } from "../operations/replay/recorded-events.ts";

const shown = (changes: Parameters<typeof callback>[0]) => {
  const record = recordOf({ orderNo: "ORDER-1", recordedAt: "2026-11-15T10:13:32.717Z" });
  const entry = toReceiptEntry({ ...record, message: callback(changes).body });
  return receiptText(entry, createColours(false), true);
};

test("what the service said is shown with every digit as it came", () => {
  const text = '{"paymentAmount":12.30,"id":12345678901234567890,"rate":1E+3}';
  const out = shown({ text });
  for (const line of ['"paymentAmount": 12.30,', '"id": 12345678901234567890,', '"rate": 1E+3']) {
    expect(out).toContain(`    ${line}\n`);
  }
});

test("what is not JSON is said to be none, and bytes that are no text are shown as base64", () => {
  expect(shown({ text: "{oops" })).toContain("  Not JSON:\n  {oops\n");
  expect(shown({ bytes: Buffer.from([255, 0, 65]) })).toContain("  Not text, as base64:\n  /wBB\n");
});

test.each([
  [
    "undeliverable",
    "To try again: npx paycast quarantine redrive --order ORDER-1 --merchant shop-1 --stack Paycast",
  ],
  ["waiting", "It is tried again by itself."],
] as const)("an order whose event is %s says what to do, on the same stack", (kind, hint) => {
  const record = recordOf({ orderNo: "ORDER-1", recordedAt: "2026-11-15T10:13:32.717Z" });
  const attention = { kind, subscribers: { stock: "QueueDoesNotExist" } };
  const left = { recipients: ["stock"], pending: ["stock"], attention, attentionSince: "now" };
  const entries = [toReceiptEntry({ ...record, message: callback().body, ...left })];
  const order = { entries, orderNo: "ORDER-1", merchantId: "shop-1" };
  const [, needs, next] = needsText(order, " --stack Paycast", createColours(false)).split("\n");
  expect(needs).toContain("stock has not got");
  expect(next).toBe(hint);
});
