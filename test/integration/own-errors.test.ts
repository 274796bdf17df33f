import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { storeOrder, storeUnreadableOrder } from "./aggregates.ts";
import { queuedPayment } from "./callbacks.ts";
import { type Fault, to } from "./fault-proxy.ts";
import { eventsOf, logOf, orderItem, process, quarantined, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const minute = 60_000;
const sixHours = 6 * 60 * minute;

describe("a message that fails by an error of our own", () => {
  test("is quarantined after six hours, its group goes on, and a redrive after the fix publishes it", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    await storeUnreadableOrder(world, "BROKEN");
    const sentAtMilliseconds = processor.now();
    const bad = { ...queuedPayment(world, { referOrderNo: "BROKEN" }), sentAtMilliseconds };
    const good = { ...queuedPayment(world, { referOrderNo: "GOOD" }), group: bad.group };
    expect(await process(processor, bad, good)).toEqual([bad.messageId, good.messageId]);
    processor.advance(sixHours - minute);
    expect(await process(processor, bad, good)).toHaveLength(2);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "failed" });
    expect(await quarantined(world)).toEqual([]);

    processor.advance(minute);
    expect(await process(processor, bad, good)).toEqual([]);
    const [letter] = await quarantined(world);
    expect(letter).toMatchObject({ reason: "processing-failed", body: bad.body });
    expect(letter!.detail).toMatch(/^Processing fails with \$?ZodError\.$/);
    const ofBad = async () => (await records(world)).find(({ message }) => message === bad.body);
    expect(await ofBad()).toMatchObject({ outcome: "quarantined", reason: "processing-failed" });
    expect((await eventsOf(world, "books")).map(({ subject }) => subject)).toEqual(["GOOD"]);

    await storeOrder(world, "BROKEN", {});
    expect(await process(processor, { ...bad, messageId: "redriven" })).toEqual([]);
    expect(await ofBad()).toMatchObject({ outcome: "published" });
    expect(await orderItem(world, "BROKEN")).toMatchObject({ status: "success" });
  });

  test("after its event was made gives the event up after six hours, where the list shows it", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const message = { ...queuedPayment(world), sentAtMilliseconds: processor.now() };
    processor.faults.fail(to("sqs", "SendMessage"), { kind: "cut" });
    expect(await process(processor, message)).toEqual([message.messageId]);
    processor.faults.heal();
    await storeUnreadableOrder(world, "ORDER-2026-000042");
    expect(await process(processor, message)).toEqual([message.messageId]);
    processor.advance(sixHours);
    expect(await process(processor, message)).toEqual([]);
    expect(await records(world)).toMatchObject([
      {
        outcome: "published",
        pending: ["books"],
        attention: { kind: "undeliverable", subscribers: { books: "processing-failed" } },
      },
    ]);
  });
});

describe("a message that failed by an error of our own, and twelve hours later because the table", () => {
  let world: World;
  let processor: Instance;
  beforeAll(async () => {
    world = await makeWorld();
    processor = await world.start("process-callback");
  });
  afterEach(() => processor.faults.heal());

  const faults: [name: string, fault: Fault][] = [
    ["refuses", { kind: "refuse", error: { type: "AccessDeniedException", status: 400 } }],
    ["fails", { kind: "refuse", error: { type: "InternalServerError", status: 500 } }],
    ["closes the connection", { kind: "cut" }],
    ["does not answer", { kind: "stall" }],
  ];
  test.each(faults)("%s, is not quarantined", async (name, fault) => {
    processor.advance(Date.now() - processor.now());
    const message = queuedPayment(world, { referOrderNo: name });
    const stored = (await records(world)).length;
    await storeUnreadableOrder(world, name);
    expect(await process(processor, message)).toEqual([message.messageId]);
    processor.advance(2 * sixHours);
    processor.faults.fail(to("dynamodb", "GetItem"), fault);
    expect(await process(processor, message)).toEqual([message.messageId]);
    expect(await quarantined(world)).toEqual([]);
    expect(await records(world)).toHaveLength(stored);
    processor.faults.heal();
    await storeOrder(world, name, {});
    expect(await process(processor, message)).toEqual([]);
    expect((await eventsOf(world, "books")).map(({ subject }) => subject)).toEqual([name]);
  });
});
