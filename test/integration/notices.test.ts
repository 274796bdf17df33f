import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { paymentFactId } from "../../shared/facts/fact.ts";
import { readFact } from "../../shared/facts/read-fact.ts";
import { readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { euros, storeLinkedPayment, storeOrder } from "./aggregates.ts";
import { scan } from "./aws-stores.ts";
import { type Fields, queuedPayment, queuedQuery, queuedRefund } from "./callbacks.ts";
import { to } from "./fault-proxy.ts";
import {
  dismissNotice,
  eventsOf,
  logOf,
  notices,
  openNotices,
  process,
  processAtOnce,
  records,
} from "./flow.ts";
import type { Queued } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const orderNo = "ORDER-2026-000042";

async function makeProcessor(expected = "129.95") {
  const world = await makeWorld();
  await storeOrder(world, orderNo, { expected: euros(expected) });
  const processor = await world.start("process-callback");
  return { world, processor };
}

interface Cause {
  readonly kind: string;
  readonly messages: (world: World) => readonly Queued[];
  readonly revealed: Fields;
}

const id = randomUUID();
const paid = { payAmount: "129.95", currency: "EUR" };

const causes: readonly Cause[] = [
  {
    kind: "mismatch",
    messages: (world) => [queuedPayment(world, { paymentAmount: "129.96" })],
    revealed: { amount: "129.96 EUR", type: "payment.order.success" },
  },
  {
    kind: "contradicted",
    messages: (world) => [queuedPayment(world, { payAmount: "129.96" })],
    revealed: { amount: "129.95 EUR", type: "payment.order.success" },
  },
  {
    kind: "duplicate-payment",
    messages: (world) => [
      queuedPayment(world, { transactionId: "FIRST" }),
      queuedPayment(world, { transactionId: "SECOND" }),
    ],
    revealed: { transactionId: "SECOND", amount: "129.95 EUR" },
  },
  {
    kind: "conflict",
    messages: (world) => [
      queuedPayment(world, { status: "confirming" }, { id }),
      queuedPayment(world, {}, { id }),
    ],
    revealed: { callbackId: id, type: "payment.order.success" },
  },
  {
    kind: "refunded",
    messages: (world) => [
      queuedQuery(world, { orderNo, paymentId: "P1" }, { status: "refund_success", ...paid }),
    ],
    revealed: { amount: "129.95 EUR" },
  },
];

describe.each(causes)("$kind", ({ kind, messages, revealed }) => {
  test("is noticed in the transaction of the fact that reveals it", async () => {
    const { world, processor } = await makeProcessor();
    for (const message of messages(world)) expect(await process(processor, message)).toEqual([]);
    const [notice, ...others] = await notices(world);
    expect(others).toEqual([]);
    const { merchantId } = world.merchant;
    expect(notice).toMatchObject({ kind, merchantId, orderNo, revealed, outcome: "notice" });
    expect(notice).not.toHaveProperty("message");
    expect(notice).not.toHaveProperty("expiresAt");
    const [listed] = await openNotices(world);
    expect(listed).toMatchObject({ attention: { kind, orderNo }, merchantId });
    const last = processor.faults.calls.findLast(to("dynamodb", "TransactWriteItems"));
    expect(last?.input["TransactItems"]).toHaveLength(3);
  });

  test("is one notice, however often and at once the messages come", async () => {
    const { world, processor } = await makeProcessor();
    for (const message of messages(world)) {
      const copies = Array.from({ length: 6 }, () => ({ ...message, messageId: randomUUID() }));
      await processAtOnce(processor, copies, 3);
    }
    expect(await openNotices(world)).toMatchObject([{ attention: { kind } }]);
  });
});

test("a notice is in no index of receipts, so that no timeline and no replay takes it for one", async () => {
  const { world, processor } = await makeProcessor("1.00");
  await process(processor, queuedPayment(world));
  const [notice] = await notices(world);
  expect(notice).toMatchObject({ kind: "mismatch" });
  for (const key of ["group", "recordedAt", "timeBucket"]) expect(notice).not.toHaveProperty(key);
});

test("a fact that nothing is odd about has no notice, and its transaction two items", async () => {
  const { world, processor } = await makeProcessor();
  await process(processor, queuedPayment(world));
  expect(await notices(world)).toEqual([]);
  const last = processor.faults.calls.findLast(to("dynamodb", "TransactWriteItems"));
  expect(last?.input["TransactItems"]).toHaveLength(2);
});

test("a dismissed notice stays dismissed when its fact comes again under another id, and the fact is recorded", async () => {
  const { world, processor } = await makeProcessor("1.00");
  await process(processor, queuedPayment(world));
  const [notice] = await notices(world);
  await dismissNotice(world, notice!);
  expect(await process(processor, queuedPayment(world))).toEqual([]);
  expect(logOf(processor).at(-1)).toMatchObject({ outcome: "known-fact", Mismatch: 1 });
  expect(await records(world)).toHaveLength(2);
  expect(await openNotices(world)).toEqual([]);
  expect(await notices(world)).toMatchObject([{ dismissedAt: expect.any(String) }]);
});

test("each fact has a notice of its own: a third payment is noticed beside the second", async () => {
  const { world, processor } = await makeProcessor();
  for (const transactionId of ["A", "B", "C"]) {
    await process(processor, queuedPayment(world, { transactionId }));
  }
  const kinds = (await openNotices(world)).map(({ attention }) => attention);
  const claims = { status: "success", amount: "129.95", currency: "EUR" };
  expect(kinds).toEqual([
    { kind: "duplicate-payment", orderNo, claims },
    { kind: "duplicate-payment", orderNo, claims },
  ]);
});

test("a fact can have two notices of different kinds", async () => {
  const { world, processor } = await makeProcessor();
  await process(processor, queuedPayment(world, { transactionId: "A" }));
  await process(processor, queuedPayment(world, { transactionId: "B", paymentAmount: "1.00" }));
  const kinds = (await notices(world)).map(({ kind }) => String(kind)).sort();
  expect(kinds).toEqual(["duplicate-payment", "mismatch"]);
});

test("a refund that contradicts its order is noticed with its payment and the order", async () => {
  const { world, processor } = await makeProcessor();
  await storeOrder(world, orderNo, {
    expected: euros("129.95"),
    status: "failed",
    paymentIds: ["P1"],
  });
  await storeLinkedPayment(world, "P1", { orderNo, expected: euros("129.95") });
  await process(processor, queuedRefund(world, { paymentId: "P1" }));
  const [notice] = await notices(world);
  expect(notice).toMatchObject({ kind: "mismatch", orderNo, paymentId: "P1" });
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("a message that names a notice is ignored, since a notice holds nothing to process", async () => {
  const { world, processor } = await makeProcessor("1.00");
  const message = queuedPayment(world);
  await process(processor, message);
  const [{ callbackKey, receipt } = {}] = await notices(world);
  const body = JSON.stringify({ version: 1, redrive: { callbackKey, receipt } });
  const redrive = { messageId: randomUUID(), group: message.group, body, isWhole: true };
  expect(await process(processor, redrive)).toEqual([]);
  expect(logOf(processor).at(-1)).toMatchObject({
    outcome: "redrive-ignored",
    reason: "record-gone",
  });
  expect(await openNotices(world)).toHaveLength(1);
});

test("a table that fails has neither the fact nor its notice, and both at the next try", async () => {
  const { world, processor } = await makeProcessor("1.00");
  const message = queuedPayment(world);
  processor.faults.fail(to("dynamodb", "TransactWriteItems"), {
    kind: "refuse",
    error: { status: 400, type: "AccessDeniedException" },
  });
  expect(await process(processor, message)).toHaveLength(1);
  expect(await scan(world.dynamodb, world.tables.callbacks)).toEqual([]);
  processor.faults.heal();
  expect(await process(processor, message)).toEqual([]);
  const fact = readFact(readInboxMessage(String((await records(world))[0]!["message"])));
  const factId = fact?.kind === "payment" ? paymentFactId(fact) : "";
  expect(await openNotices(world)).toMatchObject([{ receipt: `mismatch#${factId}` }]);
});
