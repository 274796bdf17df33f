import { describe, expect, test } from "vitest";
import type { PublishedRecord } from "../../../../shared/records/callback-record.ts";
import { redrive } from "../../../../tools/operations/attention/redrive.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { deleteQueue } from "../../../runbook/causes.ts";
import { faultyTarget } from "../faulty-target.ts";
import { forget } from "../replay/recorded-events.ts";
import { withoutAudit } from "../test-target.ts";
import { useTarget } from "../use-target.ts";
import { attentionSetup } from "./attention-setup.ts";
import { type Aside, callback, countOf } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { toInbox, record, missed, leftBehind, ...setup } = attentionSetup(operated);
const { idOf, idsOf, stored, eventsAbout, published, auditLines } = setup;

describe("a redrive", () => {
  test("without --yes only says what it would do", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("attention", "redrive", id);
    expect(code).toBe(0);
    expect(out).toContain(
      "1 message would be sent to the inbox again. Nothing is published twice.\n",
    );
    expect(out).toContain(fixed.orderNo);
    expect(out).toMatch(
      /\nNothing was changed\. To make the change, run the same command with --yes\.\n$/,
    );
    expect(await paycastJson("attention", "redrive", id)).toMatchObject({
      done: false,
      count: 1,
      sample: [{ id }],
      gone: 0,
    });
    expect(await stored(fixed)).toMatchObject([{ outcome: "quarantined" }]);
  });

  test("publishes what is understood now, ends its attention and leaves an audit line", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("attention", "redrive", id, "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "1 message sent to the inbox: 1 done.\n" });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
    const [item] = await stored(fixed);
    expect(item).toMatchObject({ outcome: "published" });
    for (const name of ["attention", "attentionShard", "attentionSince"]) {
      expect(item).not.toHaveProperty(name);
    }
    expect(await idOf(fixed)).toBe("none");
    expect(auditLines().at(-1)).toMatchObject({
      act: "attention-redrive",
      selection: "ids",
      count: 1,
      ids: [id],
    });
    expect(JSON.stringify(auditLines())).not.toContain(fixed.orderNo);
  });

  test("of what still fails says so, however soon it is repeated, and it is as old as before", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    const since = Date.now() - 3_600_000;
    await record(odd, since);
    const id = await idOf(odd);
    for (let times = 0; times < 2; times += 1) {
      const { code, out } = await paycast("attention", "redrive", id, "--wait", "30", "--yes");
      expect(code).toBe(1);
      expect(out).toContain("1 message sent to the inbox: 1 still not understood.\n");
      expect(out).toMatch(
        new RegExp(`^${id} +order ${odd.orderNo} +still not understood: event-unknown: `, "m"),
      );
    }
    expect(await stored(odd)).toMatchObject([
      {
        outcome: "quarantined",
        reason: "event-unknown",
        attentionSince: new Date(since).toISOString(),
      },
    ]);
  });

  /** Content that is recorded beside the first one of its callback id, which has expired since. */
  const besideExpired = async (changes = {}) => {
    const aside = callback({ text: "[]" });
    const other = callback({ callbackId: aside.callbackId, ...changes });
    await record(aside);
    await record(other);
    const [first] = await stored(aside);
    const [beside] = await stored(other);
    expect(beside).toMatchObject({ receipt: expect.stringMatching(/^conflict#/) });
    await forget(operated.target(), first as unknown as PublishedRecord);
    return { other, id: await idOf(other) };
  };

  test("of other content under a known id settles it, also if the first record has expired", async () => {
    const { other, id } = await besideExpired();
    const redriven = await paycast("attention", "redrive", id, "--yes");
    expect(redriven).toMatchObject({ code: 0, out: "1 message sent to the inbox: 1 done.\n" });
    expect(await idOf(other)).toBe("none");
    expect(auditLines().slice(-2)).toMatchObject([
      { act: "attention-redrive", ids: [id] },
      { act: "attention-dismiss", selection: "ids", count: 1, ids: [id] },
    ]);
  });

  test("of other content that is still not understood in the place of the first says so", async () => {
    const { other, id } = await besideExpired({ eventName: "payment.order.unheard-of" });
    for (let times = 0; times < 2; times += 1) {
      const { code, out } = await paycast("attention", "redrive", id, "--wait", "30", "--yes");
      expect(out).toContain("1 message sent to the inbox: 1 still not understood.\n");
      expect(out).toMatch(new RegExp(`^${id} .+ still not understood: event-unknown: `, "m"));
      expect(code).toBe(1);
      expect(await idsOf([other])).toContain(id);
    }
  });

  test("sends a group in the order of receipt", async () => {
    const orderNo = `ORDERED-${Date.now()}`;
    const now = Date.now();
    const asides = [3, 1, 2, 2].map((age) => callback({ orderNo, receivedAt: now - age * 1000 }));
    const [oldest, youngest, middle, sameTime] = asides as [Aside, Aside, Aside, Aside];
    for (const [index, aside] of asides.entries()) await record(aside, now + index);
    const answer = await paycastJson("attention", "redrive", ...(await idsOf(asides)), "--yes");
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
    const redrive = ["attention", "redrive", "--merchant"];
    expect(await paycastJson(...redrive, "filter-me")).toMatchObject({
      count: 1,
      sample: [{ callbackId: other.callbackId }],
      waiting: 1,
    });
    expect((await paycast(...redrive, "filter-me")).out).toContain(
      "\nSkipped: 1 that wait. Paycast retries them automatically. To send them now: --kind waiting.\n",
    );
    const named = await paycastJson(...redrive, "filter-me", "--kind", "waiting");
    expect(named).toMatchObject({ count: 1, sample: [{ callbackId: waiting.callbackId }] });
    expect(
      await paycastJson("attention", "redrive", "--order", chosen.orderNo, "--yes"),
    ).toMatchObject({
      sent: 1,
      items: [{ outcome: { kind: "done" } }],
    });
    expect(await stored(other)).toMatchObject([{ outcome: "quarantined" }]);
    expect(auditLines().at(-1)).toMatchObject({ selection: "filter", orderNo: chosen.orderNo });
  });

  test("of an event sends it to those that miss it, and to nobody else", async () => {
    const event = callback();
    await missed(event, ["order-history"]);
    const [before] = await stored(event);
    const answer = await paycastJson("attention", "redrive", await idOf(event), "--yes");
    expect(answer).toMatchObject({ sent: 1, items: [{ outcome: { kind: "done" } }] });
    const [item] = await stored(event);
    expect(item).toMatchObject({ event: before?.["event"], sequence: before?.["sequence"] });
    expect(item).not.toHaveProperty("pending");
    expect(item).not.toHaveProperty("attention");
    expect(item?.["expiresAt"]).toBe(item?.["keptUntil"]);
    expect(await eventsAbout(event.orderNo)).toHaveLength(1);
  });

  test("of nothing says so, and the answer is no", async () => {
    const { code, out } = await paycast("attention", "redrive", "--reason", "no-such-reason");
    expect({ code, out }).toEqual({ code: 1, out: "There is nothing to redrive.\n" });
  });

  test("does not wait with --wait 0", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("attention", "redrive", id, "--wait", "0", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "1 message sent to the inbox.\n" });
    await published(fixed);
  });
});

test("of events for a removed subscriber, a redrive leaves out what can be dismissed, and nothing else", async () => {
  const [waits, givenUp] = [callback(), callback()];
  await missed(waits, ["old-team"], { kind: "waiting" });
  await missed(givenUp, ["old-team"]);
  const ids = await idsOf([waits, givenUp]);
  const { out } = await paycast("attention", "redrive", ...ids);
  expect(out).toContain("1 message would be sent to the inbox again.");
  expect(out).toContain(
    "Skipped: 1 event for subscribers that are no longer configured, such as old-team. Dismiss them.\n",
  );
  const { sample } = await paycastJson("attention", "redrive", ...ids);
  expect(sample).toMatchObject([{ callbackId: waits.callbackId, gone: ["old-team"] }]);
  const dismissal = await paycastJson("attention", "dismiss", ...ids);
  expect(dismissal).toMatchObject({ sample: [{ callbackId: givenUp.callbackId }], waiting: 1 });
});

const work = { stopped: new AbortController().signal, tell: () => {} };
const planOf = async (asides: readonly Aside[], target: Target = operated.target()) =>
  await redrive.plan(target, { ids: await idsOf(asides) }, work);
const recorded = async (count: number, changes = {}) => {
  const asides = Array.from({ length: count }, (_item, index) =>
    callback({ receivedAt: Date.now() - (count - index) * 1000, ...changes }),
  );
  for (const aside of asides) await record(aside);
  return asides;
};

const inboxIsEmpty = async () =>
  await until("all messages to be processed", async () => {
    const { visible, held } = await countOf(operated.target(), operated.target().queues.inbox.url);
    return visible + held === 0 ? true : undefined;
  });

describe("when something goes wrong in the middle", () => {
  test("without an audit line nothing is changed", async () => {
    const [fixed] = (await recorded(1)) as [Aside];
    const { act } = await planOf([fixed]);
    await expect(act(withoutAudit(operated.target(), "no audit"), work)).rejects.toThrow(
      "no audit",
    );
    expect(await stored(fixed)).toMatchObject([{ outcome: "quarantined" }]);
  });

  test("a send that fails says how many were sent, and the rest stays in the list", async () => {
    const asides = await recorded(3, { orderNo: `FAILS-${Date.now()}` });
    const { target, proxy } = await faultyTarget(operated);
    const { act } = await planOf(asides, target);
    const denied = { status: 403, type: "com.amazonaws.sqs#AccessDenied" };
    proxy.fail(to("sqs", "SendMessage"), { kind: "refuse", error: denied }, { skip: 1 });
    await expect(act(target, work)).rejects.toMatchObject({
      code: "aws-denied",
      message: expect.stringMatching(
        /^1 message sent\. Then it failed: .* Repeat the operation to continue\.$/,
      ),
    });
    await published(asides[0]!);
    expect(await idsOf(asides)).toHaveLength(2);
  });

  test("what was settled since the preview is not sent", async () => {
    const asides = await recorded(2);
    const late = await planOf(asides);
    await paycast("attention", "redrive", await idOf(asides[0]!), "--yes");
    expect(await late.act(operated.target(), work)).toMatchObject({
      isGood: true,
      data: { sent: 1, settled: 1 },
      lines: ["1 message sent to the inbox: 1 done.", "Settled after the preview and not sent: 1."],
    });
  });

  test("Ctrl-C while sending sends nothing more, and says so", async () => {
    const asides = await recorded(2);
    const { act } = await planOf(asides);
    expect(await act(operated.target(), { ...work, stopped: AbortSignal.abort() })).toMatchObject({
      isGood: false,
      data: { sent: 0, settled: 0, stopped: true },
      lines: ["0 messages sent to the inbox.", "Stopped. Repeat the operation to continue."],
    });
    expect(await idsOf(asides)).toHaveLength(2);
  });
});

test("a redrive ends an attention that was left behind although everybody has the event", async () => {
  const event = callback();
  await leftBehind(event, "order-history");
  const [before] = await stored(event);
  expect(before).toMatchObject({ attention: { kind: "undeliverable" } });
  expect(before).not.toHaveProperty("pending");
  expect(await paycastJson("attention", "redrive", await idOf(event), "--yes")).toMatchObject({
    sent: 1,
    settled: 0,
  });
  await until("it is not in the list any more", async () =>
    (await idOf(event)) === "none" ? true : undefined,
  );
  expect(await eventsAbout(event.orderNo)).toEqual([]);
});

test("a redrive beside a live retry brings the event once, and nothing is left", async () => {
  const clients = operated.clients();
  const { subscribers } = operated.target().queues;
  const { queueUrl } = subscribers.find(({ name }) => name === "order-history")!;
  const asTemplate = await deleteQueue(clients.sqs, queueUrl);
  const event = callback();
  await toInbox(event);
  await until("it waits", async () => {
    const [item] = await stored(event);
    return Object(item?.["attention"]).kind === "waiting" ? true : undefined;
  });
  const id = await idOf(event);
  const sent = await paycast("attention", "redrive", id, "--wait", "0", "--yes");
  expect(sent).toMatchObject({ code: 0, out: "1 message sent to the inbox.\n" });
  await clients.sqs.send(asTemplate);
  const item = await published(event);
  expect(item).not.toHaveProperty("attention");
  await inboxIsEmpty();
  expect(await eventsAbout(event.orderNo)).toHaveLength(1);
  expect(await idOf(event)).toBe("none");
});
