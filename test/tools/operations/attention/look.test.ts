import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attentionKinds } from "../../../../shared/attention/attention-kinds.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { scan } from "../../../integration/aws-stores.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { useTarget } from "../use-target.ts";
import { callback, operator } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { toInbox, record, missed, letterCount } = operator(operated);

const hostile = "\u001b[2J\u001b]0;x\u0007\u202e注文🫖".padEnd(64, "é");
const list = async (...args: string[]) => (await paycastJson("attention", "list", ...args)).items;
const itemOf = async (callbackId: string) =>
  (await list("--limit", "1000")).find((item: { callbackId: string }) => {
    return item.callbackId === callbackId;
  });

test("where nothing needs a person, the list says so, and that is no failure", async () => {
  expect(await paycast("attention", "list")).toEqual({
    code: 0,
    out: "Nothing needs attention.\n",
    err: "",
  });
  expect(await paycastJson("attention", "list")).toEqual({ items: [], more: 0, isMore: false });
});

describe("a quarantined callback", () => {
  test("is listed with why, about what and since when, and no copy of it is a dead letter", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    await toInbox(odd);
    const item = await until("its record", () => itemOf(odd.callbackId));
    expect(item).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      kind: "quarantined",
      reason: "event-unknown",
      detail: expect.any(String),
      since: expect.any(String),
      receivedAt: expect.any(String),
      merchantId: "shop-1",
      orderNo: odd.orderNo,
      callbackId: odd.callbackId,
      subscribers: {},
      gone: [],
    });
    expect(Date.now() - Date.parse(item.since)).toBeLessThan(60_000);
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  });

  test("of one callback id with two contents is two things", async () => {
    const aside = callback({ text: "[]" });
    const other = { ...aside, body: aside.body.replace('"[]"', '"[1]"') };
    await record(aside);
    await record(other);
    const items = await list("--limit", "1000");
    const own = items.filter(
      (item: { callbackId: string }) => item.callbackId === aside.callbackId,
    );
    expect(new Set(own.map(({ id }: { id: string }) => id)).size).toBe(2);
  });
});

test("an event that subscribers miss says who, with which error, and who is not configured any more", async () => {
  const event = callback();
  await missed(event, ["analytics", "old-team"]);
  expect(await itemOf(event.callbackId)).toMatchObject({
    kind: "undeliverable",
    reason: "subscriber-unreachable",
    type: "payment.order.success",
    subscribers: { analytics: "QueueDoesNotExist", "old-team": "QueueDoesNotExist" },
    gone: ["old-team"],
  });
  const { out } = await paycast("attention", "list");
  expect(out).toContain(
    "Not delivered to analytics (QueueDoesNotExist). No longer configured: old-team.",
  );
});

test("the list is newest first, filtered and limited, and tells how many more there are", async () => {
  const merchant = ["--merchant", "filter-me"];
  const [first, second] = [
    callback({ merchantId: "filter-me" }),
    callback({ merchantId: "filter-me" }),
  ];
  const waits = callback({ merchantId: "filter-me" });
  const now = Date.now();
  await record(second, now);
  await record(first, now - 60_000);
  await missed(waits, ["analytics"], { kind: "waiting", now: now - 120_000 });
  const answer = await paycastJson("attention", "list", ...merchant, "--limit", "1");
  expect(answer).toMatchObject({ more: 2, items: [{ callbackId: second.callbackId }] });
  const { out } = await paycast("attention", "list", ...merchant, "--limit", "1");
  expect(out).toContain("2 older items are not shown. Raise --limit to see them.\n");
  const found = async (...args: string[]) =>
    (await list(...merchant, ...args)).map((item: { callbackId: string }) => item.callbackId);
  const [youngest, middle, oldest] = [second, first, waits].map(({ callbackId }) => callbackId);
  expect(await found()).toEqual([youngest, middle, oldest]);
  expect(await found("--reason", "event-unknown")).toEqual([]);
  expect(await found("--reason", "result-unreadable")).toEqual([youngest, middle]);
  expect(await found("--kind", "waiting")).toEqual([oldest]);
  expect(await found("--subscriber", "analytics")).toEqual([oldest]);
  expect(await found("--subscriber", "fulfilment")).toEqual([]);
  expect(await found("--order", first.orderNo)).toEqual([middle]);
  const at = new Date(now - 60_000).toISOString();
  expect(await found("--since", at, "--until", at)).toEqual([middle]);
  expect(await found("--since", at)).toEqual([youngest, middle]);
});

test("an order number can be any text, and a terminal does not obey it", async () => {
  const odd = callback({ orderNo: hostile });
  await record(odd);
  expect(await itemOf(odd.callbackId)).toMatchObject({ orderNo: hostile });
  const { out } = await paycast("attention", "list", "--limit", "1");
  const { id } = await itemOf(odd.callbackId);
  const shown = await paycast("attention", "show", id);
  for (const text of [out, shown.out]) {
    expect(text).toContain("注文");
    for (const control of "\u001b\u0007\u202e") expect(text).not.toContain(control);
  }
});

describe("show", () => {
  const inexact = '{"status":"success","paymentAmount":12.50000000000000001,"a":[],"a":{}}';

  test("has the payload as it came, indented, with every digit and every repeated name", async () => {
    const odd = callback({ text: inexact });
    await record(odd);
    const { id } = await itemOf(odd.callbackId);
    const { code, out } = await paycast("attention", "show", id.slice(0, 6));
    expect(code).toBe(0);
    expect(out).toMatch(/^The result cannot be read \(result-unreadable\)\.\n/);
    expect(out).toMatch(/^state +not understood$/m);
    expect(out).toContain('\n  "paymentAmount": 12.50000000000000001,\n  "a": [],\n  "a": {}\n}');
    expect((await paycast("attention", "show", id, "--raw")).out).toBe(inexact);
    const asJson = await paycastJson("attention", "show", id);
    expect(asJson).toMatchObject({ payload: { text: inexact }, keyVersion: "v1", item: { id } });
  });

  test("has bytes that are no text as base64, and with --raw exactly", async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    const odd = callback({ bytes });
    await record(odd);
    const { id } = await itemOf(odd.callbackId);
    const { out } = await paycast("attention", "show", id);
    expect(out).toMatch(/^payload +not text; as base64 below$/m);
    expect(out.endsWith(`\n\n${bytes.toString("base64")}\n`)).toBe(true);
    const raw = await spawnPaycast(operated.directory, "attention", "show", id, "--raw").ended;
    expect(raw).toEqual({ code: 0, out: bytes, err: "" });
  });

  test.each([
    ["000000000000", "Nothing was found with the id 000000000000."],
    ["ORDER-1001", "This is not an id. An id has digits, the letters a to f and dashes"],
    ["\u001b[2Jxy", "This is not an id."],
  ])("of an id that does not exist says so: %j", async (id, message) => {
    const { code, err } = await paycast("attention", "show", id);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

test.each([
  [[], "Choose an operation: list, show, redrive, dismiss."],
  [["list", "--limit", "0"], "--limit must be at least 1."],
  [["list", "--limit", "many"], "--limit must be a whole number."],
  [
    ["list", "--kind", "odd"],
    `--kind must be one of ${[...attentionKinds, "notice"].map((kind) => `"${kind}"`).join(", ")}.`,
  ],
  [["show"], "Give ID."],
  [["show", "ab"], "ID must have at least 4 characters."],
  [
    ["list", "--since", "1h", "--until", "2h"],
    "The command must have a time range that starts before it ends.",
  ],
])("attention %j is wrong usage", async (args, message) => {
  const { code, err } = await paycast("attention", ...args);
  expect(code).toBe(2);
  expect(err.split("\n").slice(-3)).toEqual([
    `paycast attention: ${message}`,
    "Help: npx paycast attention --help",
    "",
  ]);
});

test("looking writes nothing to the tables and no audit line", async () => {
  const records = async () =>
    await scan(operated.clients().dynamodb, operated.target().records.table);
  const before = await records();
  await paycast("attention", "list");
  await paycast("attention", "redrive", "--all");
  await paycast("attention", "dismiss", "--all");
  expect(await records()).toEqual(before);
  expect(existsSync(join(operated.directory, "audit.log"))).toBe(false);
});
