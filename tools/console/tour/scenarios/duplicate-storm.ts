import { counted } from "../../../../shared/text/number-text.ts";
import type { ServiceCallback } from "../../../operations/calling/service-control.ts";
import type { Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground, TourOrder } from "../playground.ts";
import {
  type Arrivals,
  calmSpeed,
  countArrivals,
  eachOnce,
  forEachOrder,
  makeFaulty,
  payAll,
  receiptsOf,
  waitForAll,
} from "../shared-steps.ts";

const success = "payment.order.success";
/** Each resend delivers the callback twice. */
const timesAgain = 2;

export const duplicateStorm: Scenario = {
  name: "duplicates",
  title: "A storm of duplicates",
  summary: "The payment service sends the same callback many times, even twice at the same moment.",
  clockSpeed: calmSpeed,
  plan: (playground) => ({
    steps: [
      ...makeFaulty(
        playground,
        "send-twice",
        "The payment service sends each callback twice at the same time",
      ),
      payAll(playground, "The customer pays"),
      waitForAll(playground, "Paycast publishes the events"),
      sendAgain(playground),
    ],
    prove: () => prove(playground),
  }),
};

function sendAgain(playground: Playground): Step {
  const title = "The payment service resends the success several times";
  return forEachOrder(playground, title, async (order, tell) => {
    const { id } = await successOf(playground, order);
    for (let time = 0; time < timesAgain; time += 1) await playground.service.sendAgain(id);
    const { attempts } = await successOf(playground, order);
    const answers = attempts.map(({ httpStatus }) => httpStatus ?? "none");
    tell(`The same callback arrived ${attempts.length} times: ${answers.join(", ")}`, order);
  });
}

/** Polls, because the simulator records an attempt only after its response. */
async function successOf(playground: Playground, order: TourOrder): Promise<ServiceCallback> {
  return await playground.until("the success was sent", async () => {
    const { callbacks } = await playground.payment(order);
    return callbacks.find(({ eventName, state }) => eventName === success && state === "delivered");
  });
}

async function prove(playground: Playground): Promise<Proof> {
  const { orders } = playground;
  const callbacks = await Promise.all(orders.map((order) => successOf(playground, order)));
  const attempts = callbacks.flatMap((callback) => callback.attempts);
  const accepted = attempts.filter(({ httpStatus }) => httpStatus === 200);
  const arrivals = await countArrivals(playground);
  const receipts = (await Promise.all(orders.map(playground.timeline))).flatMap(receiptsOf);
  const published = receipts.filter(({ type }) => type === success);
  const counts = published.flatMap(({ published: event }) =>
    event === undefined ? [] : countsOf(arrivals, event.eventId),
  );
  return {
    sentence: `The same callback arrived ${attempts.length} times: every subscriber has ${counted(range(counts), "event")}.`,
    claims: [
      {
        claim: "The callback arrived more than twice and was acknowledged every time.",
        found: `${accepted.length} of ${attempts.length} got a 200 response`,
        holds: attempts.length > 2 && accepted.length === attempts.length,
      },
      {
        claim: "Paycast stores one record of it.",
        found: counted(published.length, "record"),
        holds: published.length === 1,
      },
      eachOnce(arrivals),
    ],
  };
}

/** How often each of its subscribers has this event: [1, 1, 1]. */
function countsOf(arrivals: readonly Arrivals[], eventId: string): number[] {
  return arrivals
    .filter(({ wanted }) => wanted.includes(eventId))
    .map(({ events }) => events.filter((event) => event.eventId === eventId).length);
}

/** "1" if all counts are equal, otherwise "0 to 2". */
export function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0) return "no";
  return least === most ? String(least) : `${least} to ${most}`;
}
