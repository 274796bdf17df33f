import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { callback } from "../operations/quarantine/put-aside.ts";
import { useQuarantineDesk } from "../operations/quarantine/quarantine-desk.ts";
import { type Console, openConsole } from "./open-console.ts";

const operated = useOperatedStack();
const desk = useQuarantineDesk(operated);
let page: Console;
beforeAll(async () => {
  page = await openConsole(operated.stack().description.console);
});

const lookAgain = async () => (await page.post("/api/quarantine/look")).json;
const auditLines = () => readFileSync(join(operated.directory, "audit.log"), "utf8");
const itemOf = async ({ callbackId }: { callbackId: string }) => {
  const { items } = await lookAgain();
  return items.find((item: { callbackId: string }) => item.callbackId === callbackId);
};

describe("the list of quarantined callbacks", () => {
  test("tells why, about what, since when and where, and when it was looked", async () => {
    const aside = callback({ orderNo: 'ORDER-<b>&"\n\u202e..' });
    await desk.putFixed(aside);
    const item = await itemOf(aside);
    expect(item).toMatchObject({
      ...{ kind: "quarantined", reason: "result-unreadable", detail: "The status is unknown." },
      ...{ orderNo: aside.orderNo, merchantId: "shop-1", where: "both" },
    });
    const { lookedAt } = await page.view("/api/quarantine");
    expect(Date.now() - Date.parse(lookedAt)).toBeLessThan(30_000);
  });

  test("is not read again by a page that is opened or reloaded", async () => {
    let before: Awaited<ReturnType<typeof lookAgain>>;
    // A look is good for five seconds. If a busy machine needs longer, it is tried once more.
    const isKept = async () => {
      before = await lookAgain();
      await desk.putFixed(callback());
      const { lookedAt, items } = await page.view("/api/quarantine");
      return lookedAt === before.lookedAt && items.length === before.items.length;
    };
    await expect.poll(isKept).toBe(true);
    expect((await lookAgain()).items).toHaveLength(before.items.length + 1);
  });

  test("two pages that look at once both see everything", async () => {
    const asides = [callback(), callback(), callback()];
    for (const aside of asides) await desk.putFixed(aside);
    const looks = await Promise.all([lookAgain(), lookAgain(), lookAgain()]);
    for (const { items } of looks) {
      const seen = items.filter((item: { where: string }) => item.where === "both");
      const ids = seen.map((item: { callbackId: string }) => item.callbackId);
      expect(ids).toEqual(expect.arrayContaining(asides.map(({ callbackId }) => callbackId)));
    }
    expect(await desk.letterCount()).toMatchObject({ held: 0 });
  });

  test("an item is shown with its exact payload, without another look", async () => {
    const text = '{"amount": 1.10, "amount": 2}';
    const asText = callback({ text });
    const asBytes = callback({ bytes: Buffer.from([0xff, 0, 0x41]) });
    for (const aside of [asText, asBytes]) await desk.putFixed(aside);
    const { lookedAt, items } = await lookAgain();
    const shownOf = async (aside: typeof asText) => {
      const { id } = items.find(
        (one: { callbackId: string }) => one.callbackId === aside.callbackId,
      );
      return await page.view(`/api/quarantine/items/${id}`);
    };
    expect(await shownOf(asText)).toMatchObject({ lookedAt, payload: { text }, keyVersion: "v1" });
    expect((await shownOf(asBytes)).payload).toEqual({ base64: "/wBB" });
    expect((await page.ask("/api/quarantine/items/aaaaaaaaaaaa")).status).toBe(404);
  });
});

describe("a redrive", () => {
  test("changes nothing before its preview is accepted, then tells what came of it", async () => {
    const [fixed, unknown] = [callback(), callback({ eventName: "payment.order.paused" })];
    for (const aside of [fixed, unknown]) await desk.putFixed(aside);
    const ids = [(await itemOf(fixed)).id, (await itemOf(unknown)).id];
    const shown = await page.post("/api/quarantine/redrive/preview", { ids });
    expect(shown.json).toMatchObject({ count: 2, hiddenLetters: 0 });
    expect((await desk.stored(fixed))[0]?.["outcome"]).toBe("quarantined");
    const { preview } = shown.json;
    const { json: started } = await page.post("/api/quarantine/redrive", { preview });
    const job = await page.ended(started.id);
    expect(job).toMatchObject({ state: "done", title: "Redrive 2 messages from quarantine" });
    expect(job.outcome).toBe(
      "2 messages sent to the inbox. 1 processed and published. 1 came back to quarantine (event-unknown).",
    );
    await desk.published(fixed);
    expect(auditLines()).toContain('"act":"quarantine-redrive"');
    const repeated = await page.post("/api/quarantine/redrive", { preview });
    expect(repeated.status).toBe(404);
  });

  test("after it, a page gets a new look without asking for one", async () => {
    const aside = callback();
    await desk.putFixed(aside);
    const { id } = await itemOf(aside);
    await page.carryOut(
      ...(["/api/quarantine/redrive/preview", { ids: [id] }, "/api/quarantine/redrive"] as const),
    );
    const { items } = await page.view("/api/quarantine");
    expect(items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  test("of one reason takes that reason only, and leaves foreign messages", async () => {
    await desk.toDeadLetters({ body: "not ours", group: "x" });
    const aside = callback();
    await desk.putFixed(aside);
    const ask = async (body: object) =>
      (await page.post("/api/quarantine/redrive/preview", body)).json;
    const all = await ask({});
    const some = await ask({ reason: "result-unreadable" });
    expect(all.foreign).toHaveLength(1);
    expect(some.count).toBeLessThan(all.count);
    expect((await ask({ reason: "no-such-reason" })).count).toBe(0);
    expect((await ask({ orderNo: aside.orderNo })).count).toBe(1);
  });

  test("refuses ids that are none", async () => {
    const asked = await page.post("/api/quarantine/redrive/preview", { ids: ["../.."] });
    expect(asked.status).toBe(400);
    const unknown = await page.post("/api/quarantine/redrive/preview", { ids: ["0123456789ab"] });
    expect(unknown.json.error.code).toBe("not-found");
  });
});

test("a discard deletes the dead letter, keeps the record, and refuses the only copy", async () => {
  const [kept, only] = [callback(), callback()];
  await desk.putFixed(kept);
  await desk.toDeadLetters(only);
  const ids = [(await itemOf(kept)).id, (await itemOf(only)).id];
  const { shown, job } = await page.carryOut(
    ...(["/api/quarantine/discard/preview", { ids }, "/api/quarantine/discard"] as const),
  );
  expect(shown).toMatchObject({ count: 1, refused: [{ id: ids[1] }], missed: [] });
  expect(job.outcome).toBe("1 dead letter deleted. Records stay.");
  expect(await itemOf(kept)).toMatchObject({ where: "record" });
  expect(await itemOf(only)).toMatchObject({ where: "queue" });
});
