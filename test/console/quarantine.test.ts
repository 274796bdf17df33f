import { beforeAll, describe, expect, test } from "vitest";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { type Aside, callback } from "../operations/quarantine/put-aside.ts";
import { useQuarantineDesk } from "../operations/quarantine/quarantine-desk.ts";
import { type Console, openConsole } from "./open-console.ts";

const operated = useOperatedStack();
const desk = useQuarantineDesk(operated);
let page: Console;
beforeAll(async () => {
  page = await openConsole(operated.stack().description.console);
});

const list = async (query = "") => await page.view(`/api/quarantine/list${query}`);
const itemOf = async ({ callbackId }: Aside) => {
  const { items } = await list();
  return items.find((item: { callbackId: string }) => item.callbackId === callbackId);
};
const preview = async (verb: string, asked: object) =>
  await page.post(`/api/quarantine/${verb}/preview`, asked);

describe("the list", () => {
  test("has what the command lists, with the same filters", async () => {
    const aside = callback({ orderNo: 'ORDER-<b>&"\n\u202e..' });
    const event = callback();
    await desk.record(aside);
    await desk.missed(event, ["analytics"], { kind: "waiting" });
    expect(await list()).toEqual(await operated.paycastJson("quarantine", "list"));
    expect(await itemOf(aside)).toMatchObject({
      ...{ kind: "quarantined", reason: "result-unreadable", detail: "The status is unknown." },
      ...{ orderNo: aside.orderNo, merchantId: "shop-1" },
    });
    for (const query of ["?kind=waiting", "?subscriber=analytics", `?order=${event.orderNo}`]) {
      expect((await list(query)).items).toMatchObject([{ callbackId: event.callbackId }]);
    }
    expect(await list("?limit=1")).toMatchObject({ items: { length: 1 }, more: 1 });
  });

  test.each([
    ["limit=0", "limit must be at least 1."],
    ["kind=odd", 'kind must be one of "waiting", "undeliverable", "quarantined".'],
    ["since=soon", /^since must be a time: /],
  ])("names the field of a wrong question: %s", async (query, message) => {
    const { status, json } = await page.ask(`/api/quarantine/list?${query}`);
    expect({ status, error: json.error }).toEqual({
      status: 400,
      error: { code: "wrong-usage", message: expect.stringMatching(message) },
    });
  });
});

test("an item is shown with its exact payload, and one that is settled is not found", async () => {
  const text = '{"amount": 1.10, "amount": 2}';
  const asText = callback({ text });
  const asBytes = callback({ bytes: Buffer.from([0xff, 0, 0x41]) });
  for (const aside of [asText, asBytes]) await desk.record(aside);
  const shownOf = async (aside: Aside) =>
    await page.view(`/api/quarantine/show?id=${(await itemOf(aside)).id}`);
  expect(await shownOf(asText)).toMatchObject({ payload: { text }, keyVersion: "v1" });
  expect((await shownOf(asBytes)).payload).toEqual({ base64: "/wBB" });
  expect((await page.ask("/api/quarantine/show?id=aaaaaaaaaaaa")).status).toBe(404);
});

describe("a redrive", () => {
  test("changes nothing before its preview is accepted, then tells what came of it, once", async () => {
    const [fixed, unknown] = [callback(), callback({ eventName: "payment.order.paused" })];
    for (const aside of [fixed, unknown]) await desk.record(aside);
    const ids = [(await itemOf(fixed)).id, (await itemOf(unknown)).id];
    const shown = await preview("redrive", { ids });
    expect(shown.json).toMatchObject({
      ...{ title: "Redrive from quarantine", yes: "Redrive 2" },
      report: {
        lines: ["2 messages would be sent to the inbox again. Nothing is published twice."],
        table: { rows: { length: 2 } },
      },
    });
    expect((await desk.stored(fixed))[0]?.["outcome"]).toBe("quarantined");
    const accepted = { preview: shown.json.preview };
    const { json: started } = await page.post("/api/quarantine/redrive", accepted);
    expect(await page.ended(started.id)).toMatchObject({
      ...{ state: "done", title: "Redrive 2" },
      outcome: "2 messages sent to the inbox: 1 done, 1 still not understood.",
    });
    await desk.published(fixed);
    expect(desk.auditLines().at(-1)).toMatchObject({ act: "quarantine-redrive", ids });
    const repeated = await page.post("/api/quarantine/redrive", accepted);
    expect(repeated.status).toBe(404);
    expect(await itemOf(fixed)).toBeUndefined();
  });

  test("of a filter takes what it names, and where there is nothing to do there is nothing to accept", async () => {
    const aside = callback({ merchantId: "other-shop" });
    await desk.record(aside);
    const one = await preview("redrive", { merchant: "other-shop" });
    expect(one.json.report.data).toMatchObject({ count: 1 });
    const none = await preview("redrive", { reason: "no-such-reason" });
    expect(none.json.report.lines).toEqual(["There is nothing to redrive."]);
    expect(none.json).not.toHaveProperty("yes");
  });

  test("refuses what says nothing, and ids that are none", async () => {
    for (const asked of [{}, { ids: ["x"] }, { ids: "all" }, { all: "yes" }]) {
      const { status, json } = await preview("redrive", asked);
      expect({ status, code: json.error.code }).toEqual({ status: 400, code: "wrong-usage" });
    }
    const unknown = await preview("redrive", { ids: ["0123456789ab"] });
    expect(unknown.json.error.code).toBe("not-found");
  });
});

test("a dismissal ends the matter, and leaves out what waits", async () => {
  const [odd, waits] = [callback(), callback()];
  await desk.record(odd);
  await desk.missed(waits, ["analytics"], { kind: "waiting" });
  const ids = [(await itemOf(odd)).id, (await itemOf(waits)).id];
  const { shown, job } = await page.carryOut(
    ...(["/api/quarantine/dismiss/preview", { ids }, "/api/quarantine/dismiss"] as const),
  );
  expect(shown.report.below).toEqual(["Left out: 1 that still wait or were never tried."]);
  expect(job).toMatchObject({ title: "Dismiss 1", outcome: "1 record dismissed." });
  expect(await itemOf(odd)).toBeUndefined();
  expect(await itemOf(waits)).toMatchObject({ kind: "waiting" });
  expect(desk.auditLines().at(-1)).toMatchObject({ act: "quarantine-dismiss", count: 1 });
});
