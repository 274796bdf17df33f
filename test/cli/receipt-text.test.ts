import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { receiptText } from "../../cli/commands/callback.ts";
import { needsText } from "../../cli/commands/order.ts";
import { agoText, timeText } from "../../cli/frame/report-text.ts";
import { toReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import { indentJson } from "../../shared/indent-json.ts";
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

describe("indented JSON", () => {
  test("is what JSON.stringify writes, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  test("keeps every digit, every repeated name and every escape", () => {
    expect(indentJson(' {"a" : 1.10, "a":1e400 ,"b":"{\\"\\u202e"}')).toBe(
      '{\n  "a": 1.10,\n  "a": 1e400,\n  "b": "{\\"\\u202e"\n}',
    );
  });

  test.each(["", "status=success", '{"a":', "{]"])("%j is not JSON", (text) => {
    expect(indentJson(text)).toBeUndefined();
  });
});

test.each([
  [59, "59 s ago"],
  [61, "1 min ago"],
  [3_600, "1 h ago"],
  [172_799, "47 h ago"],
  [172_800, "2 days ago"],
  [-5, "0 s ago"],
  [-7 * 86_400, "in 7 days"],
])("%i seconds are %s", (seconds, text) => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  const then = new Date(now - seconds * 1000).toISOString();
  expect(agoText(then, now)).toBe(text);
  expect(timeText(then, now)).toBe(`${then.slice(0, 19)}Z (${text})`);
});
