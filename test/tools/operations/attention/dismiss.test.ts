import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dismiss } from "../../../../tools/operations/attention/dismiss.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { deleteQueue } from "../../../runbook/causes.ts";
import { withoutAudit } from "../test-target.ts";
import { useTarget } from "../use-target.ts";
import { attentionSetup } from "./attention-setup.ts";
import { type Aside, callback, countOf } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { toInbox, record, missed, idOf, idsOf, stored, eventsAbout, published, auditLines } =
  attentionSetup(operated);

const work = { stopped: new AbortController().signal, tell: () => {} };
const planOf = async (...asides: readonly Aside[]) =>
  await dismiss.plan(operated.target(), { ids: await idsOf(asides) }, work);
const dismissed = async (aside: Aside) => {
  const [item] = await stored(aside);
  for (const name of ["attention", "attentionShard", "attentionSince", "pending"]) {
    expect(item).not.toHaveProperty(name);
  }
  return item!;
};

describe("a dismissal", () => {
  test("without --yes only says what it would do, and for whom", async () => {
    const [odd, event] = [callback(), callback()];
    await record(odd);
    await missed(event, ["analytics", "fulfilment"]);
    const ids = await idsOf([odd, event]);
    const { code, out } = await paycast("attention", "dismiss", ...ids);
    expect(code).toBe(0);
    expect(out).toContain("2 records would be dismissed. Nothing is sent.\n");
    expect(out).toContain(
      "These subscribers will never receive the event: analytics, fulfilment.\n",
    );
    expect(out).toMatch(
      /\nNothing was changed\. To make the change, run the same command with --yes\.\n$/,
    );
    expect(await idsOf([odd, event])).toHaveLength(2);
  });

  test("of an order that two merchants have is rejected until one is named", async () => {
    const order = { orderNo: `SHARED-${randomUUID()}` };
    await missed(callback(order), ["analytics"]);
    await missed(callback({ ...order, merchantId: "shop-2" }), ["analytics"]);
    const [first] = operated.target().stack.merchants;
    const merchants = [first!, { ...first!, merchantId: "shop-2" }];
    const target = { ...operated.target(), stack: { ...operated.target().stack, merchants } };
    const plan = (asked: object) => dismiss.plan(target, { ids: [], ...asked }, work);
    await expect(plan({ order: order.orderNo })).rejects.toMatchObject({
      code: "wrong-usage",
      message: expect.stringMatching(/shop-1, shop-2|shop-2, shop-1/),
    });
    const { yes } = await plan({ order: order.orderNo, merchant: "shop-2" });
    expect(yes).toBe("Dismiss 1");
  });

  test("of a callback ends the matter, keeps the record until its usual expiry, and is audited", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    await record(odd);
    const id = await idOf(odd);
    const done = await paycast("attention", "dismiss", id, "--yes");
    expect(done).toMatchObject({ code: 0, out: "1 record dismissed.\n" });
    const item = await dismissed(odd);
    expect(item).toMatchObject({ outcome: "quarantined", dismissedAt: expect.any(String) });
    expect(item["expiresAt"]).toBe(item["keptUntil"]);
    expect(item["expiresAt"]).toBeGreaterThan(Date.now() / 1000 + 89 * 86_400);
    expect(await idOf(odd)).toBe("none");
    expect(auditLines().at(-1)).toMatchObject({
      act: "attention-dismiss",
      selection: "ids",
      count: 1,
      ids: [id],
    });
  });

  test("sets no expiry where only the record stops a replay", async () => {
    const [odd, event] = [callback({ replayable: true }), callback({ replayable: true })];
    await record(odd);
    await missed(event, ["analytics"]);
    await paycast("attention", "dismiss", ...(await idsOf([odd, event])), "--yes");
    for (const aside of [odd, event])
      expect(await dismissed(aside)).not.toHaveProperty("expiresAt");
  });

  test("of an event moves the names to dismissed, and nobody gets it, also if the callback comes again", async () => {
    const event = callback();
    await missed(event, ["order-history", "analytics"]);
    await paycast("attention", "dismiss", await idOf(event), "--yes");
    const item = await dismissed(event);
    expect(item["dismissed"]).toEqual(expect.arrayContaining(["order-history", "analytics"]));
    expect(item["expiresAt"]).toBe(item["keptUntil"]);
    await toInbox(event);
    await inboxEmpty();
    expect(await dismissed(event)).toEqual(item);
    expect(await eventsAbout(event.orderNo)).toEqual([]);
  });

  test("refuses what waits, and says so", async () => {
    const [waits, givenUp] = [callback(), callback()];
    await missed(waits, ["analytics"], { kind: "waiting" });
    await missed(givenUp, ["analytics"]);
    const { code, out } = await paycast("attention", "dismiss", await idOf(waits), "--yes");
    expect({ code, out }).toEqual({
      code: 1,
      out: "There is nothing to dismiss.\n\nSkipped: 1 that still wait or were never tried.\n",
    });
    const both = await idsOf([waits, givenUp]);
    const answer = await paycastJson("attention", "dismiss", ...both, "--yes");
    expect(answer).toEqual({ done: true, dismissed: 1, changed: 0, stopped: false });
    expect(await stored(waits)).toMatchObject([{ attention: { kind: "waiting" } }]);
  });
});

describe("of a subscriber that was removed", () => {
  test("nothing is found by a name that no record has, even one that every object has", async () => {
    const odd = callback();
    await record(odd);
    const { out } = await paycast("attention", "dismiss", "--subscriber", "constructor");
    expect(out).toBe("There is nothing to dismiss.\n");
    expect(await idOf(odd)).not.toBe("none");
  });

  test("all of its many events are dismissed at once, and what others miss stays", async () => {
    const events = Array.from({ length: 30 }, () => callback());
    const [shared, other] = [callback(), callback()];
    for (const event of events) await missed(event, ["old-team"]);
    await missed(shared, ["old-team", "analytics"]);
    await missed(other, ["analytics"]);
    const command = ["attention", "dismiss", "--subscriber", "old-team"];
    const preview = await paycast(...command);
    expect(preview.out).toContain("31 records would be dismissed");
    expect(preview.out).toContain("These subscribers will never receive the event: old-team.\n");
    expect(await paycastJson(...command, "--yes")).toMatchObject({ dismissed: 31, changed: 0 });
    expect(await idsOf(events)).toEqual([]);
    expect(await dismissed(events[0]!)).toMatchObject({ dismissed: ["old-team"] });
    const [remaining] = await stored(shared);
    expect(remaining).toMatchObject({
      pending: ["analytics"],
      dismissed: ["old-team"],
      attention: { kind: "undeliverable", subscribers: { analytics: "QueueDoesNotExist" } },
    });
    expect(remaining).not.toHaveProperty("expiresAt");
    expect(auditLines().at(-1)).toMatchObject({
      selection: "filter",
      subscriber: "old-team",
      count: 31,
    });
    const rest = await idsOf([shared, other]);
    expect(await paycastJson("attention", "redrive", ...rest, "--yes")).toMatchObject({ sent: 2 });
    await published(shared);
  });
});

describe("beside other work", () => {
  test("what was understood since it was shown is left alone, and a part is not all", async () => {
    const [fixed, odd] = [callback(), callback()];
    await record(fixed);
    await record(odd);
    const { act } = await planOf(fixed, odd);
    await paycast("attention", "redrive", await idOf(fixed), "--yes");
    expect(await act(operated.target(), work)).toMatchObject({
      isGood: false,
      data: { dismissed: 1, changed: 1 },
      lines: ["1 record dismissed.", "1 changed after they were shown and were skipped."],
    });
    expect(await published(fixed)).not.toHaveProperty("dismissedAt");
  });

  test("nothing is dismissed if its audit line cannot be written", async () => {
    const odd = callback();
    await record(odd);
    const { act } = await planOf(odd);
    const target = withoutAudit(operated.target(), "disk full");
    await expect(act(target, work)).rejects.toThrow("disk full");
    expect(await idsOf([odd])).toHaveLength(1);
    expect(await stored(odd)).not.toMatchObject([{ dismissedAt: expect.any(String) }]);
  });

  test("what began again since it was shown is left alone, and so is what another one got", async () => {
    const [event, partly] = [callback(), callback()];
    await missed(event, ["analytics"], { now: Date.now() - 60_000 });
    await missed(partly, ["analytics", "old-team"]);
    const { act } = await planOf(event, partly);
    await paycast("attention", "redrive", ...(await idsOf([event])), "--yes");
    await paycast("attention", "dismiss", "--subscriber", "old-team", "--yes");
    expect(await act(operated.target(), work)).toMatchObject({
      data: { dismissed: 0, changed: 2 },
    });
    expect(await stored(partly)).toMatchObject([{ pending: ["analytics"] }]);
  });

  test("while a redrive tries it again, a dismissal ends the tries", async () => {
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const { queueUrl } = subscribers.find(({ name }) => name === "analytics")!;
    const asTemplate = await deleteQueue(clients.sqs, queueUrl);
    const event = callback({ receivedAt: Date.now() - 3_600_000 });
    await missed(event, ["analytics"], { now: Date.now() - 3_600_000 });
    const id = await idOf(event);
    const sent = await paycast("attention", "redrive", id, "--wait", "1", "--yes");
    expect(sent.out).toMatch(new RegExp(`^${id} .* still not delivered to analytics$`, "m"));
    const answer = await paycastJson("attention", "dismiss", id, "--yes");
    expect(answer).toMatchObject({ dismissed: 1, changed: 0 });
    await inboxEmpty();
    expect(await dismissed(event)).toMatchObject({ dismissed: ["analytics"] });
    await clients.sqs.send(asTemplate);
  });

  test("the same content again keeps since when it needs a person, and then the dismissal", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    const since = Date.now() - 3_600_000;
    await record(odd, since);
    const { act } = await planOf(odd);
    await toInbox(odd);
    await triedAfter(odd, new Date(since).toISOString());
    expect(await act(operated.target(), work)).toMatchObject({ data: { dismissed: 1 } });
    const { triedAt, ...before } = await dismissed(odd);
    await toInbox(odd);
    await triedAfter(odd, String(triedAt));
    expect(await dismissed(odd)).toMatchObject(before);
  });
});

async function triedAfter(aside: Aside, before: string): Promise<void> {
  await until("another try", async () => {
    const [item] = await stored(aside);
    return String(item?.["triedAt"]) > before ? true : undefined;
  });
}

async function inboxEmpty(): Promise<void> {
  await until("the inbox to be empty", async () => {
    const { visible, held } = await countOf(operated.target(), operated.target().queues.inbox.url);
    return visible + held === 0 ? true : undefined;
  });
}
