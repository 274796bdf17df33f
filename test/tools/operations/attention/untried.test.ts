import { expect, test } from "vitest";
import {
  normalWayMilliseconds,
  untriedItems,
} from "../../../../tools/operations/attention/find-items.ts";
import { refundResult } from "../../../builders/callback.ts";
import { placeOrder } from "../place-order.ts";
import { received } from "../replay/recorded-events.ts";
import { useTarget } from "../use-target.ts";
import { attentionSetup } from "./attention-setup.ts";
import { callback } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { untried, stored, auditLines } = attentionSetup(operated);
const day = 24 * 60 * 60_000;
const work = { stopped: new AbortController().signal, tell: () => {} };

/** An event of that age whose message somebody purged from the inbox. */
async function purged(names: readonly string[], ageMilliseconds = 20 * day) {
  const aside = callback();
  const { event, recordedAt } = await untried(aside, names, Date.now() - ageMilliseconds);
  return { aside, event, place: ["--since", recordedAt, "--until", recordedAt] };
}

const list = async (...args: string[]) => (await paycastJson("attention", "list", ...args)).items;

test("an event that nothing tried is found by its order, sent to who misses it, and to nobody else", async () => {
  const { aside, event } = await purged(["analytics"]);
  expect(await list()).toEqual([]);
  expect(await list("--order", aside.orderNo)).toMatchObject([
    { kind: "untried", orderNo: aside.orderNo, subscribers: { analytics: "NotTried" }, gone: [] },
  ]);
  const redrive = ["attention", "redrive", "--order", aside.orderNo];
  const preview = await paycast(...redrive);
  expect(preview.out).toContain("1 message would be sent to the inbox again.");
  expect(await received(operated, "analytics")).toEqual([]);
  expect(await paycastJson(...redrive, "--yes")).toMatchObject({
    sent: 1,
    items: [{ item: { kind: "untried" }, outcome: { kind: "done" } }],
  });
  const bodies = (await received(operated, "analytics")).map(({ body }) => body);
  expect(bodies).toEqual([event]);
  for (const name of ["fulfilment", "order-history"]) {
    expect(await received(operated, name)).toEqual([]);
  }
  expect((await stored(aside))[0]).not.toHaveProperty("pending");
  expect(await list("--order", aside.orderNo)).toEqual([]);
  expect(auditLines().at(-1)).toMatchObject({
    selection: "filter",
    orderNo: aside.orderNo,
    count: 1,
  });
});

test("it is found by its time, by an id there, and what is in another time is left alone", async () => {
  const [first, other] = [await purged(["analytics"]), await purged(["analytics"], 3 * day)];
  const [item, ...more] = await list(...first.place);
  expect(more).toEqual([]);
  expect((await paycast("attention", "redrive", item.id, "--yes")).code).toBe(2);
  const shown = await paycast("attention", "show", item.id, ...first.place);
  expect(shown.out).toContain("Not delivered to analytics (NotTried).");
  const answer = await paycastJson("attention", "redrive", item.id, ...first.place, "--yes");
  expect(answer).toMatchObject({ sent: 1, items: [{ outcome: { kind: "done" } }] });
  expect((await stored(other.aside))[0]).toHaveProperty("pending");
  const rest = await paycastJson("attention", "redrive", ...other.place, "--yes");
  expect(rest).toMatchObject({ sent: 1, items: [{ outcome: { kind: "done" } }] });
});

test("an order's place has the refunds of its payments, and no other order", async () => {
  const paymentId = await placeOrder(operated, "UNTRIED-1");
  const text = JSON.stringify(refundResult({ merchantId: "shop-1", paymentId }));
  const refund = callback({ eventName: "payment.refund.success", text });
  await untried(refund, ["order-history"], Date.now() - day);
  await purged(["order-history"]);
  expect(await list("--order", "UNTRIED-1")).toMatchObject([
    { kind: "untried", paymentId, subscribers: { "order-history": "NotTried" } },
  ]);
});

test("an event that is on its normal way is not listed, nor with a kind, which only the index has", async () => {
  const young = await purged(["analytics"], normalWayMilliseconds - 60_000);
  expect(await list("--order", young.aside.orderNo)).toEqual([]);
  expect(await list(...young.place)).toEqual([]);
  expect(normalWayMilliseconds).toBeGreaterThan(5 * 60_000);
  const { place } = await purged(["analytics"], 60 * day);
  expect(await list(...place)).toHaveLength(1);
  expect(await list(...place, "--kind", "waiting")).toEqual([]);
  expect(await list(...place, "--subscriber", "fulfilment")).toEqual([]);
});

test("for a subscriber that is no longer configured it can be sent, so that it is given up and dismissed", async () => {
  const { aside } = await purged(["long-gone"]);
  const order = ["--order", aside.orderNo];
  const shown = await paycast("attention", "list", ...order);
  expect(shown.out).toContain("No longer configured: long-gone.");
  expect(await paycastJson("attention", "redrive", ...order)).toMatchObject({ count: 1, gone: 0 });
  const { code, out } = await paycast("attention", "dismiss", ...order, "--yes");
  expect(code).toBe(1);
  expect(out).toContain("Skipped: 1 that still wait or were never tried.\n");
});

test("too many recorded events are refused, and progress is reported", async () => {
  const { place } = await purged(["analytics"], 40 * day);
  const [, since, , end] = place;
  const filter = { since, until: end };
  const tooMany = untriedItems(operated.target(), filter, work, 0);
  await expect(tooMany).rejects.toMatchObject({ code: "wrong-usage" });
  const lines: string[] = [];
  const tell = (progress: string) => void lines.push(progress);
  expect(await untriedItems(operated.target(), filter, { ...work, tell })).toHaveLength(1);
  expect(lines.at(-1)).toBe("Reading recorded events: 1 of 1");
});
