import { expect, test } from "vitest";
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
