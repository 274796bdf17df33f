import { counted } from "../../../../shared/text/number-text.ts";
import type { ServiceCallback } from "../../../operations/calling/service-control.ts";
import type { Claim, Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground } from "../playground.ts";
import {
  calmSpeed,
  countArrivals,
  eachOnce,
  forEachOrder,
  makeOne,
  payAll,
  shortName,
  waitForAll,
} from "../shared-steps.ts";

export const paid: Scenario = {
  name: "paid",
  title: "An order is paid",
  summary: "The path of every payment: order, checkout, callback, and an event for each team.",
  clockSpeed: calmSpeed,
  plan: (playground) => ({
    steps: [
      makeOne(playground),
      payAll(playground, "The customer pays"),
      waitForCallbacks(playground),
      waitForAll(playground, "Every subscriber gets its events"),
    ],
    prove: () => prove(playground),
  }),
};

function waitForCallbacks(playground: Playground): Step {
  const title = "The payment service sends callbacks, and Paycast responds";
  return forEachOrder(playground, title, async (order, tell) => {
    const { callbacks } = await playground.until(
      "the payment's callback gets a response",
      async () => {
        const payment = await playground.payment(order);
        const isDone = payment.callbacks.every(({ state }) => state === "delivered");
        return payment.status === "success" && isDone ? payment : undefined;
      },
    );
    for (const { eventName, attempts } of callbacks) {
      const answers = attempts.map(
        ({ httpStatus, durationMilliseconds }) => `${httpStatus} after ${durationMilliseconds} ms`,
      );
      tell(`${shortName(eventName)}: ${answers.join(", ")}`, order);
    }
  });
}

/** On a busy machine the success may arrive first. Then confirming is flagged, correctly. */
const isHarmless = (flag: string) => flag === "regressed";

async function prove(playground: Playground): Promise<Proof> {
  const { orders } = playground;
  const arrivals = await countArrivals(playground);
  const timelines = await Promise.all(orders.map(playground.timeline));
  const payments = await Promise.all(orders.map(playground.payment));
  const statuses = timelines.map(
    ({ order }) => `${order?.status}, learned from a ${order?.statusOrigin}`,
  );
  const flags = timelines.flatMap(({ order }) => order?.flags ?? []).filter((f) => !isHarmless(f));
  const events = arrivals.reduce((sum, arrival) => sum + arrival.events.length, 0);
  return {
    sentence: `The order's status is ${statuses.join()}: ${counted(events, "event")} in ${counted(arrivals.length, "queue")}.`,
    claims: [
      {
        claim: "The order is paid, and a callback reported it.",
        found: `${statuses.join()}; ${flags.length === 0 ? "nothing unusual" : flags.join()}`,
        holds:
          statuses.every((status) => status === "success, learned from a callback") &&
          flags.length === 0,
      },
      acknowledgedClaim(payments.flatMap(({ callbacks }) => callbacks)),
      eachOnce(arrivals),
    ],
  };
}

/** On a busy machine the first attempt may get a 503 or no response. The payment service retries it. */
function acknowledgedClaim(callbacks: readonly ServiceCallback[]): Claim {
  const last = callbacks.flatMap(({ attempts }) => attempts.slice(-1));
  const earlier = callbacks.flatMap(({ attempts }) => attempts.slice(0, -1));
  const bodies = new Set(last.map(({ httpStatus, detail }) => `${httpStatus} ${detail}`));
  const missed = `; before that, ${counted(earlier.length, "attempt")} without it`;
  return {
    claim: "Each callback got the response that the interface requires.",
    found: `${counted(callbacks.length, "callback")}: ${[...bodies].join(" and ")}${earlier.length === 0 ? "" : missed}`,
    holds:
      bodies.size === 1 &&
      bodies.has('200 {"code":20000,"msg":""}') &&
      earlier.every(({ httpStatus = 503 }) => httpStatus === 503),
  };
}
