import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hiddenText } from "../../../cli/quarantine/item-text.ts";
import { listQuarantine } from "../../../operations/quarantine/list-quarantine.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { scan } from "../../integration/aws-stores.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { callback, operator } from "./put-aside.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { toInbox, toDeadLetters, record, letter, letterCount, purge } = operator(operated.target);

const hostile = "\u001b[2J\u001b]0;x\u0007\u202e注文🫖".padEnd(64, "é");
const list = async (...args: string[]) => (await paycastJson("quarantine", "list", ...args)).items;
const itemOf = async (callbackId: string) =>
  (await list("--limit", "1000")).find((item: { callbackId: string }) => {
    return item.callbackId === callbackId;
  });

beforeEach(async () => {
  await purge();
});

test("where nothing needs a person, the list says so and exits with 0", async () => {
  expect(await paycast("quarantine", "list")).toEqual({
    code: 0,
    out: "Nothing needs a person.\n",
    err: "",
  });
});

describe("a quarantined callback", () => {
  test("is listed once, whether it is a record, a dead letter or both", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    await toInbox(odd);
    const both = await until("the dead letter", async () => {
      const item = await itemOf(odd.callbackId);
      return item?.where === "both" ? item : undefined;
    });
    expect(both).toMatchObject({
      kind: "quarantined",
      reason: "event-unknown",
      merchantId: "shop-1",
      orderNo: odd.orderNo,
      callbackId: odd.callbackId,
    });
    await purge();
    expect(await itemOf(odd.callbackId)).toEqual({ ...both, where: "record" });
  });

  test("is listed with the dead letters that have no record: received too often, or not ours", async () => {
    const often = callback();
    await toDeadLetters(often);
    await toDeadLetters({ body: "hello", group: "a" });
    const items = await list();
    const kinds = Object.fromEntries(items.map((one: { kind: string }) => [one.kind, one]));
    expect(kinds["unprocessed"]).toMatchObject({ orderNo: often.orderNo, where: "queue" });
    expect(kinds["foreign"]).toMatchObject({ where: "queue" });
    const { out } = await paycast("quarantine", "list");
    expect(out).toContain("SQS gave up after 1000 receives.");
  });

  test("of one callback id with two contents is two things", async () => {
    const one = callback({ text: "[]" });
    const other = { ...one, body: one.body.replace('"[]"', '"[1]"') };
    await record(one);
    await record(other);
    const before = await list("--limit", "1000");
    const own = before.filter((item: { callbackId: string }) => item.callbackId === one.callbackId);
    expect(new Set(own.map(({ id }: { id: string }) => id)).size).toBe(2);
    await letter(other);
    expect(await list("--limit", "1000")).toHaveLength(before.length);
  });
});

test("the list is newest first, filtered and limited, and tells how many more there are", async () => {
  const first = callback({ merchantId: "filter-me" });
  const second = callback({ merchantId: "filter-me" });
  const now = Date.now();
  await record(second, now);
  await record(first, now - 1);
  const answer = await paycastJson(
    ...["quarantine", "list", "--merchant", "filter-me", "--limit", "1"],
  );
  expect(answer).toMatchObject({ more: 1, items: [{ callbackId: second.callbackId }] });
  const { out } = await paycast("quarantine", "list", "--merchant", "filter-me", "--limit", "1");
  expect(out).toContain("1 more, older. Show them with --limit.\n");
  expect(await list("--merchant", "filter-me", "--reason", "event-unknown")).toEqual([]);
  expect(await list("--merchant", "filter-me", "--reason", "result-unreadable")).toHaveLength(2);
});

test("looking takes nothing away, and the dead letters are visible again at once", async () => {
  for (let index = 0; index < 12; index += 1) await toDeadLetters(callback());
  await paycast("quarantine", "list");
  expect(await letterCount()).toEqual({ visible: 12, held: 0 });
});

test("a look that comes to its own limit says so, and does not blame other events", async () => {
  for (let index = 0; index < 12; index += 1) await toDeadLetters(callback());
  const seen = await listQuarantine(operated.target(), { limit: 50 }, { most: 10 });
  expect(seen).toMatchObject({ atLimit: true, stopped: false, hiddenLetters: 2 });
  expect(hiddenText(seen)).toBe(
    "About 2 more in the dead letters were not looked at: the command stopped at its own limit of 10,000 letters or four minutes.\n",
  );
  const all = await listQuarantine(operated.target(), { limit: 50 });
  expect(all).toMatchObject({ atLimit: false, hiddenLetters: 0 });
});

test("an order number can be any text, and a terminal does not obey it", async () => {
  const odd = callback({ orderNo: hostile });
  await record(odd);
  expect(await itemOf(odd.callbackId)).toMatchObject({ orderNo: hostile });
  const { out } = await paycast("quarantine", "list", "--limit", "1");
  const { id } = await itemOf(odd.callbackId);
  const shown = await paycast("quarantine", "show", id);
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
    const { code, out } = await paycast("quarantine", "show", id.slice(0, 6));
    expect(code).toBe(0);
    expect(out).toContain('\n  "paymentAmount": 12.50000000000000001,\n  "a": [],\n  "a": {}\n}');
    expect((await paycast("quarantine", "show", id, "--raw")).out).toBe(inexact);
    expect((await paycastJson("quarantine", "show", id)).payload).toEqual({ text: inexact });
  });

  test("has bytes that are no text as base64, and with --raw exactly", async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    const odd = callback({ bytes });
    await record(odd);
    const { id } = await itemOf(odd.callbackId);
    expect((await paycast("quarantine", "show", id)).out).toContain(bytes.toString("base64"));
    const raw = await spawnPaycast(operated.directory, "quarantine", "show", id, "--raw").ended;
    expect(raw).toEqual({ code: 0, out: bytes, err: "" });
  });

  test.each([
    ["000000000000", "Nothing was found with the id 000000000000."],
    ["ab", "Give at least 4 characters of the id."],
    ["ORDER-1001", "This is not an id. An id has digits, the letters a to f and dashes"],
    ["\u001b[2J", "This is not an id."],
  ])("of an id that does not exist says so: %j", async (id, message) => {
    const { code, err } = await paycast("quarantine", "show", id);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

test.each([
  [[], "Say first what to do: list, show, redrive or discard."],
  [["list", "--limit", "0"], "--limit needs a whole number, at least 1."],
  [["show"], "Give ID."],
  [["redrive"], "Give either ids, or --reason R, or --order, or --since, or --all."],
  [
    ["redrive", "abcd", "--all"],
    "Give either ids, or --reason R, or --order, or --since, or --all.",
  ],
  [
    ["redrive", "--all", "--order", "x"],
    "Give either ids, or --reason R, or --order, or --since, or --all.",
  ],
  [["list", "--until", "3h"], "--until needs --since."],
  [["list", "--since", "1h", "--until", "2h"], "--since is after --until, or after now."],
  [["discard"], "Give the ids of the dead letters to delete."],
])("quarantine %j is wrong usage", async (args, message) => {
  const { code, err } = await paycast("quarantine", ...args);
  expect({ code, err }).toEqual({
    code: 2,
    err: `paycast quarantine: ${message}\nHelp: npx paycast quarantine --help\n`,
  });
});

test("looking writes nothing to the tables and no audit line", async () => {
  const { clients, tables } = operated.target();
  const before = await scan(clients.dynamodb, tables.callbacks);
  await paycast("quarantine", "list");
  expect(await scan(clients.dynamodb, tables.callbacks)).toEqual(before);
  expect(existsSync(join(operated.directory, "audit.log"))).toBe(false);
});
