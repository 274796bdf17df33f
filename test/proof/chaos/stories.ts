import { setTimeout as wait } from "node:timers/promises";
import type { FaultInput } from "../../../tools/simulator/faults/fault.ts";
import type { Simulator } from "../../../tools/simulator/start-simulator.ts";
import type { Random } from "./random.ts";

/** What is done with an order at the payment service. */
type Act = (
  simulator: Simulator,
  order: ReturnType<Simulator["order"]>,
  random: Random,
) => void | Promise<void>;

/** What happens to an order. A fault is switched on for this order alone, before it is created. */
interface Story {
  readonly weight: number;
  readonly act: Act;
  readonly faults: readonly FaultInput[];
  /** It happens as soon as the service has the order, before the shop has a response. */
  readonly isEarly?: true;
  /** The order ends hours after its expiry, and no callback about it arrives. */
  readonly endsLate?: true;
  /**
   * What the storefront does besides creating the order once. It sends another amount under its number, sends it twice at
   * the same time, or corrects it after a rejection.
   */
  readonly storefront?: "another order" | "twice" | "corrected";
  /** A page that shows the order reads it this often meanwhile, with pauses of about this length. */
  readonly polls?: { readonly times: number; readonly pauseMilliseconds: number };
}

const pay: Act = ({ pay }, { paymentId }) => pay(paymentId);
const payLate: Act = async (simulator, order, random) => {
  await wait(11_000);
  await pay(simulator, order, random);
};
const payFromBank: Act = ({ pay }, { paymentId }) =>
  pay(paymentId, { confirmingSeconds: 6 * 3_600 });
const payAgain: Act = ({ pay }, { paymentId }) => pay(paymentId, { force: true });
const decline: Act = ({ fail }, { paymentId }) => fail(paymentId);
const expire: Act = ({ expire }, { paymentId }) => expire(paymentId);

async function untilPaid(simulator: Simulator, paymentId: string): Promise<boolean> {
  const isPaid = () => simulator.order(paymentId).status === "success";
  for (let tries = 0; tries < 40 && !isPaid(); tries += 1) await wait(100);
  return isPaid();
}

/** A part of the amount, in minor units, as soon as the order is paid. */
const refund =
  (partOf: (minor: number) => number): Act =>
  async (simulator, order, random) => {
    const { paymentId, amount } = order;
    if (!(await untilPaid(simulator, paymentId))) return;
    const places = amount.split(".")[1]?.length ?? 0;
    const part = partOf(Math.round(Number(amount) * 10 ** places));
    const outcome = random.chance(0.2) ? "failed" : "success";
    simulator.refund(paymentId, { amount: (part / 10 ** places).toFixed(places), outcome });
  };
const third = (minor: number) => Math.floor(minor / 3);
const refundThird = refund(third);
const refundLastThird = refund((minor) => minor - 2 * third(minor));
/** The callback of the refund has one minor unit more than was paid. */
const refundTooMuch: Act = async (simulator, order, random) => {
  if (!(await untilPaid(simulator, order.paymentId))) return;
  simulator.addFault({ kind: "wrong-amount", orderNo: order.orderNo, times: 1 });
  await refund((minor) => minor)(simulator, order, random);
};

/** One after the other; each waits until the service has done what came before. */
function then(...acts: readonly Act[]): Act {
  return async (simulator, order, random) => {
    for (const act of acts) {
      await act(simulator, order, random);
      await wait(random.between(150, 900));
    }
  };
}

const story = (weight: number, act: Act): Story => ({ weight, act, faults: [] });
const paidWith = (weight: number, fault: FaultInput): Story => ({
  weight,
  act: pay,
  faults: [fault],
});

/** The service responds to the creation so late that its callbacks arrive first. */
const early = (weight: number, act: Act): Story => ({
  weight,
  act,
  faults: [{ kind: "slow-answer", operation: "create", times: 1, seconds: 4 }],
  isEarly: true,
});

export const stories: Readonly<Record<string, Story>> = {
  paid: story(30, pay),
  // Callbacks arrive during a query to the service.
  watched: {
    ...paidWith(6, { kind: "slow-answer", operation: "query", seconds: 1 }),
    polls: { times: 6, pauseMilliseconds: 250 },
  },
  // The second read repeats what the service reported, and the third must ask again.
  hesitant: { ...story(3, payLate), polls: { times: 3, pauseMilliseconds: 4_750 } },
  declined: story(8, decline),
  expired: story(8, expire),
  "declined, then paid": story(5, then(decline, payAgain)),
  "expired, then paid": story(5, then(expire, payAgain)),
  "paid twice": story(5, then(pay, payAgain)),
  refunded: story(10, then(pay, refundThird)),
  "refunded in parts": story(6, then(pay, refundThird, refundThird, refundLastThird)),
  "refunded too much": story(3, then(pay, refundTooMuch)),
  "refunded too much before it is paid": {
    ...story(2, then(pay, refundTooMuch)),
    faults: [{ kind: "delay", times: 2, seconds: 200 }],
  },
  "another order under its number": { ...story(3, pay), storefront: "another order" },
  "ordered twice": {
    ...paidWith(3, { kind: "slow-answer", operation: "create", times: 1, seconds: 1 }),
    storefront: "twice",
  },
  "rejected, then corrected": {
    ...paidWith(3, { kind: "refuse-creates", times: 1 }),
    storefront: "corrected",
  },
  "sent twice": paidWith(4, { kind: "send-twice" }),
  "out of order": paidWith(4, { kind: "out-of-order", times: 1 }),
  delayed: paidWith(4, { kind: "delay", times: 1, seconds: 200 }),
  lost: paidWith(4, { kind: "lose", times: 2 }),
  // The first check of reconciliation finds it confirming. Only a later one finds its end.
  "paid from a bank": {
    weight: 4,
    act: payFromBank,
    faults: [{ kind: "lose" }],
    endsLate: true,
  },
  "another amount": paidWith(3, { kind: "wrong-amount" }),
  "another currency": paidWith(3, { kind: "wrong-amount", changes: "currency" }),
  contradicted: paidWith(3, { kind: "conflicting-callback", times: 1 }),
  "two transactions": paidWith(3, { kind: "conflicting-callback", changes: "transaction" }),
  "not readable": paidWith(3, { kind: "malformed-result", times: 1 }),
  "unknown event": paidWith(2, { kind: "unknown-event", times: 1 }),
  "a number as id": paidWith(2, { kind: "other-id", how: "number" }),
  "a text as id": paidWith(2, { kind: "other-id", how: "text" }),
  "wrong key": paidWith(3, { kind: "wrong-key", times: 2 }),
  tampered: paidWith(3, { kind: "tampered-body", times: 2 }),
  "another merchant": paidWith(2, { kind: "wrong-merchant", times: 1 }),
  "another merchant inside": paidWith(2, { kind: "wrong-merchant", times: 1, where: "result" }),
  "too old": paidWith(2, { kind: "old-timestamp", times: 1 }),
  "a week old": paidWith(2, { kind: "old-timestamp", times: 1, seconds: 7 * 86_400 }),
  "a little ahead": paidWith(2, { kind: "old-timestamp", times: 1, seconds: -240 }),
  "too new": paidWith(2, { kind: "old-timestamp", times: 1, seconds: -600 }),
  "rejected first": paidWith(3, { kind: "refuse-creates", times: 1 }),
  "response lost": paidWith(3, {
    kind: "reset-connections",
    operation: "create",
    when: "after",
    times: 1,
  }),
  "unreadable response": paidWith(2, { kind: "broken-answer", operation: "create", times: 1 }),
  "creation fails": paidWith(2, {
    kind: "broken-answer",
    operation: "create",
    how: "http-500",
    times: 1,
  }),
  "creation hangs": paidWith(2, {
    kind: "slow-answer",
    operation: "create",
    seconds: 20,
    times: 1,
  }),
  "paid before the response": early(3, pay),
  "refunded before the response": early(3, then(pay, refundThird)),
  "query fails": paidWith(3, { kind: "broken-answer", operation: "query", times: 2 }),
};

export const allStories: readonly string[] = Object.keys(stories);
