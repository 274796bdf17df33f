import { expect, test } from "vitest";
import type { PaycastEvent } from "../../shared/events/event.ts";
import { receive, remove } from "./aws-stores.ts";
import { paymentCallback, refundCallback } from "./callbacks.ts";
import type { Fault, FaultProxy } from "./fault-proxy.ts";
import { giveBack, messagesOf, post, pump, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { sqsEvent, toQueued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

/*
 * Whatever goes wrong, in whatever order: in the end every subscriber has every event, an ordered one each once and
 * in order. The mishaps are drawn from a seed, so that a failure can be played again.
 */

const makeWorld = useWorlds();
const subscribers = [{ name: "books" }, { name: "stock" }, { name: "loose", ordered: false }];
const orders = ["A", "B"];
const statuses = ["confirming", "timeout", "failed", "success"];
const refundStatuses = ["refund_failed", "refund_success"];
const factCount = orders.length * (statuses.length + refundStatuses.length);

type Random = () => number;

/** Mulberry32. */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;

const refused = { kind: "refuse", error: { status: 400, type: "AccessDenied" } } as const;
const mishaps: readonly Fault[] = [
  { kind: "die-before" },
  { kind: "die-after" },
  { kind: "die-after" },
  { kind: "lose-answer" },
  { kind: "cut" },
  refused,
  refused,
];

function upset(faults: FaultProxy, random: Random): void {
  faults.heal();
  const skip = Math.floor(random() * 12);
  const times = pick(random, [1, 1, 3]);
  faults.fail(() => true, pick(random, mishaps), { skip, times });
}

async function sendAll(world: World, random: Random): Promise<void> {
  const receiver = await world.start("receive-callback");
  const envelopes = orders.flatMap((order) => [
    ...statuses.map((status) => paymentCallback(world, { referOrderNo: order, status })),
    ...refundStatuses.map((status) => {
      return refundCallback(world, { paymentId: `P${order}`, refundId: `R${order}`, status });
    }),
  ]);
  const shuffled = envelopes.map((envelope) => ({ envelope, key: random() }));
  for (const { envelope } of shuffled.sort((a, b) => a.key - b.key)) {
    // The service sends some of them again.
    for (let copies = pick(random, [1, 1, 2]); copies > 0; copies -= 1) {
      expect((await post(receiver, envelope)).statusCode).toBe(200);
    }
  }
}

/** One batch from the inbox; a function that dies leaves it in flight, and it comes back. */
async function processUpset(world: World, processor: Instance, random: Random): Promise<boolean> {
  upset(processor.faults, random);
  const messages = await receive(world.sqs, world.inboxUrl);
  if (messages.length === 0) return true;
  const outcome = await processor.invoke(sqsEvent(messages.map(toQueued)));
  const answer = outcome.kind === "returned" ? JSON.stringify(outcome.value) : undefined;
  for (const message of messages) {
    const done = answer !== undefined && !answer.includes(message.MessageId!);
    if (done) await remove(world.sqs, world.inboxUrl, message);
    else await giveBack(world, message);
  }
  return outcome.kind !== "died";
}

async function haveMishaps(world: World, random: Random): Promise<void> {
  let processor = await world.start("process-callback");
  for (let round = 0; round < 16; round += 1) {
    if (!(await processUpset(world, processor, random))) {
      processor = await world.start("process-callback");
    }
  }
}

test.each([1, 2, 3, 4])("after any mishaps every event has arrived: seed %i", async (seed) => {
  const random = randomFrom(seed);
  const world = await makeWorld({ subscribers });
  await sendAll(world, random);
  await haveMishaps(world, random);
  await pump(world, await world.start("process-callback"));
  for (const record of await records(world)) {
    expect(record).not.toHaveProperty("pending");
    expect(record).toHaveProperty("expiresAt");
  }
  const ids = new Set<string>();
  for (const { name, ordered = true } of subscribers) {
    const bodies = (await messagesOf(world, name)).map(({ Body }) => Body!);
    const distinct = new Set(bodies);
    expect(distinct.size, name).toBe(factCount);
    if (ordered) expect(bodies, `${name} has no event twice`).toHaveLength(factCount);
    const events = [...distinct].map((body): PaycastEvent => JSON.parse(body));
    for (const { id } of events) ids.add(id);
    if (ordered) expectInOrder(events);
  }
  expect(ids.size).toBe(factCount);
});

/** Within a queue's group, which is an order's payments or a payment's refunds. */
function expectInOrder(events: readonly PaycastEvent[]): void {
  const groups = new Map<string, string[]>();
  for (const { partitionkey: group, sequence } of events) {
    groups.set(group, [...(groups.get(group) ?? []), sequence]);
  }
  expect(groups.size).toBe(2 * orders.length);
  for (const sequences of groups.values()) expect(sequences).toEqual([...sequences].sort());
}
