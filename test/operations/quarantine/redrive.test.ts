import { describe, expect, test } from "vitest";
import { useOperatedStack } from "../operated-stack.ts";
import { type Aside, callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { record, missed, idOf, idsOf, stored, eventsAbout, published, auditLines } =
  useQuarantineDesk(operated);

describe("a redrive", () => {
  test("without --yes only says what it would do", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("quarantine", "redrive", id);
    expect(code).toBe(0);
    expect(out).toContain(
      "1 message would be sent to the inbox again. Nothing is published twice.\n",
    );
    expect(out).toContain(fixed.orderNo);
    expect(out).toMatch(/\nNothing was changed\. To do it, run the same command with --yes\.\n$/);
    expect(await paycastJson("quarantine", "redrive", id)).toMatchObject({
      ...{ done: false, count: 1, sample: [{ id }], gone: 0 },
    });
    expect(await stored(fixed)).toMatchObject([{ outcome: "quarantined" }]);
  });

  test("publishes what is understood now, ends its attention and leaves an audit line", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("quarantine", "redrive", id, "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "1 message sent to the inbox: 1 done.\n" });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
    const [one] = await stored(fixed);
    expect(one).toMatchObject({ outcome: "published" });
    for (const name of ["attention", "attentionShard", "attentionSince"]) {
      expect(one).not.toHaveProperty(name);
    }
    expect(await idOf(fixed)).toBe("none");
    expect(auditLines().at(-1)).toMatchObject({
      ...{ act: "quarantine-redrive", selection: "ids", count: 1, ids: [id] },
    });
    expect(JSON.stringify(auditLines())).not.toContain(fixed.orderNo);
  });

  test("of what still fails says so, however soon it is repeated, and it is as old as before", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    const since = Date.now() - 3_600_000;
    await record(odd, since);
    const id = await idOf(odd);
    for (let times = 0; times < 2; times += 1) {
      const { code, out } = await paycast("quarantine", "redrive", id, "--wait", "30", "--yes");
      expect(code).toBe(1);
      expect(out).toContain("1 message sent to the inbox: 1 still not understood.\n");
      expect(out).toMatch(
        new RegExp(`^${id} +order ${odd.orderNo} +still not understood: event-unknown: `, "m"),
      );
    }
    expect(await stored(odd)).toMatchObject([
      {
        ...{ outcome: "quarantined", reason: "event-unknown" },
        attentionSince: new Date(since).toISOString(),
      },
    ]);
  });

  test("sends a group in the order of receipt", async () => {
    const orderNo = `ORDERED-${Date.now()}`;
    const now = Date.now();
    const asides = [3, 1, 2, 2].map((age) => callback({ orderNo, receivedAt: now - age * 1000 }));
    const [oldest, youngest, middle, sameTime] = asides as [Aside, Aside, Aside, Aside];
    for (const [index, one] of asides.entries()) await record(one, now + index);
    const answer = await paycastJson("quarantine", "redrive", ...(await idsOf(asides)), "--yes");
    expect(answer).toMatchObject({ done: true, sent: 4, settled: 0, stopped: false });
    const events = await eventsAbout(orderNo);
    expect(events.map(({ data }) => data.callbackId)).toEqual(
      [oldest, middle, sameTime, youngest].map(({ callbackId }) => callbackId),
    );
  });

  test("of a filter takes what it names only, and leaves what waits alone", async () => {
    const chosen = callback({ merchantId: "shop-1" });
    const other = callback({ merchantId: "filter-me" });
    const waiting = callback({ merchantId: "filter-me" });
    await record(chosen);
    await record(other);
    await missed(waiting, ["analytics"], { kind: "waiting" });
    const redrive = ["quarantine", "redrive", "--merchant"];
    expect(await paycastJson(...redrive, "filter-me")).toMatchObject({
      ...{ count: 1, sample: [{ callbackId: other.callbackId }], waiting: 1 },
    });
    expect((await paycast(...redrive, "filter-me")).out).toContain(
      "\nLeft out: 1 that wait: Paycast tries them by itself. To send them: --kind waiting.\n",
    );
    const named = await paycastJson(...redrive, "filter-me", "--kind", "waiting");
    expect(named).toMatchObject({ count: 1, sample: [{ callbackId: waiting.callbackId }] });
    expect(
      await paycastJson("quarantine", "redrive", "--order", chosen.orderNo, "--yes"),
    ).toMatchObject({
      ...{ sent: 1, items: [{ outcome: { kind: "done" } }] },
    });
    expect(await stored(other)).toMatchObject([{ outcome: "quarantined" }]);
    expect(auditLines().at(-1)).toMatchObject({ selection: "filter", orderNo: chosen.orderNo });
  });

  test("of an event sends it to those that miss it, and to nobody else", async () => {
    const event = callback();
    await missed(event, ["order-history"]);
    const [before] = await stored(event);
    const answer = await paycastJson("quarantine", "redrive", await idOf(event), "--yes");
    expect(answer).toMatchObject({ sent: 1, items: [{ outcome: { kind: "done" } }] });
    const [one] = await stored(event);
    expect(one).toMatchObject({ event: before?.["event"], sequence: before?.["sequence"] });
    expect(one).not.toHaveProperty("pending");
    expect(one).not.toHaveProperty("attention");
    expect(one?.["expiresAt"]).toBe(one?.["keptUntil"]);
    expect(await eventsAbout(event.orderNo)).toHaveLength(1);
  });

  test("of nothing says so, and the answer is no", async () => {
    const { code, out } = await paycast("quarantine", "redrive", "--reason", "no-such-reason");
    expect({ code, out }).toEqual({ code: 1, out: "There is nothing to redrive.\n" });
  });

  test("does not wait with --wait 0", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("quarantine", "redrive", id, "--wait", "0", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "1 message sent to the inbox.\n" });
    await published(fixed);
  });
});

test("of events for a removed subscriber, a redrive leaves out what can be dismissed, and nothing else", async () => {
  const [waits, givenUp] = [callback(), callback()];
  await missed(waits, ["old-team"], { kind: "waiting" });
  await missed(givenUp, ["old-team"]);
  const ids = await idsOf([waits, givenUp]);
  const { out } = await paycast("quarantine", "redrive", ...ids);
  expect(out).toContain("1 message would be sent to the inbox again.");
  expect(out).toContain(
    "Left out: 1 event for subscribers that are no longer configured, such as old-team. Dismiss them.\n",
  );
  const { sample } = await paycastJson("quarantine", "redrive", ...ids);
  expect(sample).toMatchObject([{ callbackId: waits.callbackId, gone: ["old-team"] }]);
  const dismissal = await paycastJson("quarantine", "dismiss", ...ids);
  expect(dismissal).toMatchObject({ sample: [{ callbackId: givenUp.callbackId }], waiting: 1 });
});
