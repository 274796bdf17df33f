import type { ServiceCallback } from "../../../operations/calling/service-control.ts";
import { counted } from "../../../shared/counted.ts";
import type { Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground, TourOrder } from "../playground.ts";
import {
  calmSpeed,
  countArrivals,
  countsOf,
  eachOnce,
  makeOne,
  payAll,
  range,
  receiptsOf,
  waitForAll,
} from "../shared-steps.ts";

const success = "payment.order.success";
/** Each time the callback is sent twice. */
const timesAgain = 2;

export const duplicateStorm: Scenario = {
  name: "duplicates",
  title: "A storm of duplicates",
  summary: "The service sends the same callback again and again, also twice at the same time.",
  clockSpeed: calmSpeed,
  plan: (playground) => {
    const orderNo = playground.newOrderNo();
    const orders: TourOrder[] = [];
    return {
      steps: [
        sendEverythingTwice(playground, orderNo),
        makeOne(playground, orders, "The storefront makes an order", orderNo),
        payAll(playground, orders, "The consumer pays"),
        waitForAll(playground, orders, "Paycast publishes the events"),
        sendAgain(playground, orders),
      ],
      prove: () => prove(playground, orders),
    };
  },
};

function sendEverythingTwice(playground: Playground, orderNo: string): Step {
  return {
    title: "The service will send each callback twice at the same time",
    run: async (tell) => {
      await playground.fault({ kind: "send-twice", orderNo });
      tell(`The fault send-twice is on, for ${orderNo} alone.`);
    },
  };
}

function sendAgain(playground: Playground, orders: readonly TourOrder[]): Step {
  return {
    title: "The service sends the success again, several times",
    run: async (tell) => {
      for (const order of orders) {
        const { id } = await successOf(playground, order);
        for (let time = 0; time < timesAgain; time += 1) await playground.service.sendAgain(id);
        const { attempts } = await successOf(playground, order);
        const answers = attempts.map(({ httpStatus }) => httpStatus ?? "none");
        tell(`The same callback came ${attempts.length} times: ${answers.join(", ")}`, order);
      }
    },
  };
}

/** Waits for it: the simulator notes an attempt when the answer has come. */
async function successOf(playground: Playground, order: TourOrder): Promise<ServiceCallback> {
  return await playground.until("the success was sent", async () => {
    const { callbacks } = await playground.payment(order);
    return callbacks.find(({ eventName, state }) => eventName === success && state === "delivered");
  });
}

async function prove(playground: Playground, orders: readonly TourOrder[]): Promise<Proof> {
  const callbacks = await Promise.all(orders.map((order) => successOf(playground, order)));
  const attempts = callbacks.flatMap((callback) => callback.attempts);
  const accepted = attempts.filter(({ httpStatus }) => httpStatus === 200);
  const arrivals = await countArrivals(playground, orders);
  const receipts = (await Promise.all(orders.map(playground.timeline))).flatMap(receiptsOf);
  const published = receipts.filter(({ type }) => type === success);
  const counts = published.flatMap(({ published: event }) =>
    event === undefined ? [] : countsOf(arrivals, event.eventId),
  );
  return {
    sentence: `The same callback came ${attempts.length} times: every subscriber has ${counted(range(counts), "event")}.`,
    claims: [
      {
        claim: "The callback came more than twice, and every time it was acknowledged.",
        found: `${accepted.length} of ${attempts.length} were answered 200`,
        holds: attempts.length > 2 && accepted.length === attempts.length,
      },
      {
        claim: "One record of it is kept.",
        found: counted(published.length, "record"),
        holds: published.length === 1,
      },
      eachOnce(arrivals),
    ],
  };
}
