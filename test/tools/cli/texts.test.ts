import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { indentJson } from "../../../shared/json/indent-json.ts";
import { createColours } from "../../../shared/text/terminal-text.ts";
import { needsText } from "../../../tools/cli/commands/order-text.ts";
import { receiptText } from "../../../tools/cli/commands/receipt-text.ts";
import { columns, createAligned, pairs } from "../../../tools/cli/frame/columns.ts";
import { agoText, timeText } from "../../../tools/cli/frame/report-text.ts";
import { withLocalTimes } from "../../../tools/cli/frame/terminal.ts";
import { toReceiptEntry } from "../../../tools/operations/timeline/receipt-entry.ts";
import { callback } from "../operations/attention/put-aside.ts";
import { recordOf } from "../operations/replay/recorded-events.ts";
import { runHere } from "./run-paycast.ts";

const colours = createColours(true);

describe("columns", () => {
  test("are aligned, also where a cell has a colour", () => {
    const text = columns(
      ["ORDER", "STATUS"],
      [
        [colours.red("A-1"), "paid"],
        ["ORDER-1001", "open"],
      ],
    );
    expect(text).toBe(`ORDER       STATUS\n${colours.red("A-1")}         paid\nORDER-1001  open\n`);
  });

  test("show what would drive the terminal as a replacement character, and so do pairs", () => {
    const hostile = "A\u001b[2J\u001b]0;x\u0007\u202eB\nC";
    const harmless = "A\ufffd[2J\ufffd]0;x\ufffd\ufffdB\ufffdC";
    expect(columns(["X"], [[hostile]])).toBe(`X\n${harmless}\n`);
    expect(pairs([["X", hostile]])).toBe(`X  ${harmless}\n`);
  });
});

test("pairs leave out what has no value", () => {
  expect(
    pairs([
      ["status", "paid"],
      ["flags", undefined],
      ["a longer name", "x"],
    ]),
  ).toBe("status         paid\na longer name  x\n");
});

test("rows that come one after the other are aligned, and a wider cell widens its column from then on", () => {
  const align = createAligned([4, 3]);
  expect(["a|b|end", "longer|b|end", "a|b|end"].map((row) => align(row.split("|")))).toEqual([
    "a     b    end\n",
    "longer  b    end\n",
    "a       b    end\n",
  ]);
});

describe("with --local-time", () => {
  beforeAll(() => void vi.stubEnv("TZ", "Europe/Berlin"));
  afterAll(() => void vi.unstubAllEnvs());

  test.each([
    ["2026-11-15T10:22:45Z", "2026-11-15 11:22:45"],
    ["2026-07-15T22:22:45.123Z", "2026-07-16 00:22:45.123"],
    ["(last 2026-11-15T23:22Z)", "(last 2026-11-16 00:22)"],
    ["set at 2026-11-15T10:22:45Z, and valid.", "set at 2026-11-15 11:22:45, and valid."],
    [
      "a 2026-11-15T10:22:45Z b 2026-11-15T11:22:45Z",
      "a 2026-11-15 11:22:45 b 2026-11-15 12:22:45",
    ],
  ])("%s is shown as %s", (utc, local) => {
    expect(withLocalTimes(utc)).toBe(local);
  });

  test.each([
    '"time": "2026-11-15T10:22:45Z"',
    "npx paycast order '2026-11-15T10:22:45Z'",
    "2026-99-15T10:22:45Z",
    "x2026-11-15T10:22:45Z",
  ])("%s stays as it is: it is no time of the command's own", (text) => {
    expect(withLocalTimes(text)).toBe(text);
  });

  test("columns stay aligned", () => {
    const rows = [
      ["2026-11-15T10:22:45Z (12 min ago)", "one"],
      ["2026-11-15T10:22:45Z (3 days ago)", "two"],
    ];
    const lines = withLocalTimes(columns(["since", "what"], rows)).split("\n");
    expect(lines.slice(0, 3).map((line) => line.search(/what|one|two/))).toEqual([35, 35, 35]);
    const bare = withLocalTimes(columns(["since", "what"], [["2026-11-15T10:22:45Z", "one"]]));
    expect(bare).toBe("since                 what\n2026-11-15 11:22:45   one\n");
  });

  test("the zone is named once, before everything else", async () => {
    const { err } = await runHere(["check", "--local-time", "--bogus"]);
    expect(err).toMatch(/^Times are local: Europe\/Berlin\npaycast check: There is no option/);
  });

  test("JSON stays in UTC", async () => {
    const { err } = await runHere(["check", "--local-time", "--json", "--bogus"]);
    expect(err).not.toContain("Times are local");
  });
});

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
    "To retry: npx paycast attention redrive --order ORDER-1 --merchant shop-1 --stack Paycast",
  ],
  ["waiting", "Paycast retries it automatically."],
] as const)("an order whose event is %s says what to do, on the same stack", (kind, hint) => {
  const record = recordOf({ orderNo: "ORDER-1", recordedAt: "2026-11-15T10:13:32.717Z" });
  const attention = { kind, subscribers: { stock: "QueueDoesNotExist" } };
  const remaining = { recipients: ["stock"], pending: ["stock"], attention, attentionSince: "now" };
  const entries = [toReceiptEntry({ ...record, message: callback().body, ...remaining })];
  const order = { entries, orderNo: "ORDER-1", merchantId: "shop-1" };
  const [, problem, next] = needsText(order, " --stack Paycast", createColours(false)).split("\n");
  expect(problem).toContain("stock has not received");
  expect(next).toBe(hint);
});

describe("when each subscriber got an event", () => {
  const first = "2026-11-15T08:25:20.400Z";
  const entryOf = (changes: object) =>
    toReceiptEntry({
      ...recordOf({ orderNo: "ORDER-1", recordedAt: first }),
      receivedAt: first,
      message: callback().body,
      recipients: ["books", "stock"],
      pending: [],
      ...changes,
    });
  const lineOf = (changes: object) =>
    /^ {2}(books.*)$/m.exec(receiptText(entryOf(changes), createColours(false), false))?.[1];

  test("all at once have the same time", () => {
    expect(lineOf({ delivered: { books: first, stock: first } })).toBe(
      "books, stock delivered 2026-11-15T08:25:20Z",
    );
  });

  test("a later one says how much later", () => {
    expect(lineOf({ delivered: { books: first, stock: "2026-11-15T08:31:10.400Z" } })).toBe(
      "books delivered 2026-11-15T08:25:20Z  stock delivered 2026-11-15T08:31:10Z, 5 min 50 s after the others",
    );
  });

  test("what all got late is late after the callback, from a minute on", () => {
    const allAt = (time: string) => lineOf({ delivered: { books: time, stock: time } });
    expect(allAt("2026-11-15T08:26:20.399Z")).not.toContain("after");
    expect(allAt("2026-11-15T08:26:20.400Z")).toContain(
      "books, stock delivered 2026-11-15T08:26:20Z, 1 min after the callback",
    );
  });
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
