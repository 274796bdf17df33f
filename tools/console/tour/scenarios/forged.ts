import { counted } from "../../../../shared/text/number-text.ts";
import type { ServiceAttempt } from "../../../operations/calling/service-control.ts";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { Claim, Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground, TourOrder } from "../playground.ts";
import {
  attemptsOf,
  countArrivals,
  eachOnce,
  forEachOrder,
  payAll,
  quickSpeed,
  readOwnLines,
  readReceived,
  receiptsOf,
  waitForAll,
} from "../shared-steps.ts";

const forgeries: Readonly<Record<string, string>> = {
  "wrong-key": "signed with another key",
  "tampered-body": "changed after signing",
  "wrong-merchant": "for another merchant",
  "old-timestamp": "nine days old",
};

export const forged: Scenario = {
  name: "forged",
  title: "Forged callbacks",
  summary: "Four kinds of forgery. All get the same response, so a forger learns nothing.",
  clockSpeed: quickSpeed,
  plan: (playground) => ({
    steps: [
      makeOrders(playground),
      payAll(playground, "The customers pay"),
      waitForRefusals(playground),
      waitForAll(playground, "The payment service sends the authentic callbacks"),
    ],
    prove: () => prove(playground),
  }),
};

function makeOrders(playground: Playground): Step {
  return {
    title: "Four orders, each with its first callbacks forged in a different way",
    run: async (tell) => {
      for (const [kind, words] of Object.entries(forgeries)) {
        const orderNo = playground.newOrderNo();
        await playground.fault({ kind, orderNo });
        tell(`${orderNo}: ${words}`, await playground.order(orderNo));
      }
    },
  };
}

function waitForRefusals(playground: Playground): Step {
  return forEachOrder(playground, "Paycast rejects each of them", async (order, tell) => {
    const attempts = await playground.until(`a forged callback of ${order.orderNo}`, async () => {
      const made = forgedOf(attemptsOf(await playground.payment(order)));
      return made.length > 0 ? made : undefined;
    });
    const kinds = new Set(attempts.flatMap(({ faults }) => faults));
    tell(`${[...kinds].join()}: ${[...answersTo(attempts)].join(" and ")}`, order);
  });
}

function answersTo(attempts: readonly ServiceAttempt[]): Set<string> {
  return new Set(attempts.map(({ httpStatus, detail }) => `${httpStatus} ${detail}`));
}

function forgedOf(attempts: readonly ServiceAttempt[]): ServiceAttempt[] {
  return attempts.filter(({ faults }) => faults.length > 0);
}

async function prove(playground: Playground): Promise<Proof> {
  const { orders } = playground;
  const payments = await Promise.all(orders.map(playground.payment));
  const refused = payments.flatMap((payment) => forgedOf(attemptsOf(payment)));
  const answers = answersTo(refused);
  const early = (await Promise.all(orders.map((order) => countEarly(playground, order)))).flat();
  const authentic = payments.flatMap(attemptsOf).filter(({ faults }) => faults.length === 0);
  const callbacks = payments.flatMap((payment) => payment.callbacks);
  const accepted = callbacks.filter(({ state }) => state === "delivered");
  return {
    sentence: `${counted(refused.length, "forged callback")} got ${counted(answers.size, "distinct response")}, ${early.length} reached the inbox; ${accepted.length} authentic ones were accepted.`,
    claims: [
      {
        claim: "Every forgery is rejected with 401, and all responses are identical.",
        found: `${refused.length} times ${[...answers].join(" or ")}`,
        holds: refused.length >= orders.length && isOne401(answers),
      },
      {
        claim:
          "No forgery reached the inbox: each record was received after an authentic attempt of its callback began.",
        found: `${counted(early.length, "record")} of a forgery`,
        holds: early.length === 0,
      },
      await acceptedClaim(playground, authentic.length),
      await logClaim(playground, refused.length),
      {
        claim: "The authentic callbacks after them are accepted.",
        found: `${accepted.length} of ${callbacks.length}`,
        holds: accepted.length === callbacks.length && accepted.length >= orders.length,
      },
      eachOnce(await countArrivals(playground)),
    ],
  };
}

function isOne401(answers: ReadonlySet<string>): boolean {
  return answers.size === 1 && [...answers].every((answer) => answer.startsWith("401 "));
}

/** Records without an earlier authentic attempt of their callback: only a forgery can have created them. */
async function countEarly(playground: Playground, order: TourOrder): Promise<ReceiptEntry[]> {
  const { callbacks } = await playground.payment(order);
  const startsOf = (callbackId: string | undefined) =>
    callbacks
      .filter(({ id }) => id === callbackId)
      .flatMap(({ attempts }) => attempts.filter(({ faults }) => faults.length === 0))
      .map(({ startedMilliseconds }) => startedMilliseconds);
  const receipts = receiptsOf(await playground.timeline(order));
  return receipts.filter(
    ({ origin, callbackId, at }) =>
      origin === "callback" && !startsOf(callbackId).some((start) => start <= Date.parse(at)),
  );
}

/** A forgery for another merchant would have its record there, so the log is checked as well. */
async function acceptedClaim(playground: Playground, authentic: number): Promise<Claim> {
  const lines = await readOwnLines(playground);
  const accepted = lines.filter(({ outcome }) => outcome === "accepted");
  return {
    claim:
      "Across all merchants, Paycast accepted only as many callbacks of these orders as were authentic.",
    found: `${accepted.length} accepted, ${authentic} authentic`,
    holds: accepted.length <= authentic,
  };
}

/** Only the operator sees the cause. */
async function logClaim(playground: Playground, refused: number): Promise<Claim> {
  const lines = await readReceived(playground);
  const refusals = lines.filter(({ outcome }) => outcome === "not-authentic");
  const reasons = [...new Set(refusals.map(({ reason }) => reason ?? "no reason"))];
  return {
    claim: "Only Paycast's log has the causes.",
    found: `${counted(refusals.length, "line")}: ${reasons.join(", ")}`,
    holds: refusals.length >= refused && reasons.length > 1,
  };
}
