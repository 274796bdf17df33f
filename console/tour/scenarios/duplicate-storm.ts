import type { ServiceCallback } from "../../../operations/calling/service-control.ts";
import { counted } from "../../../shared/counted.ts";
import { countArrivals, countsOf, eachOnce, range, receiptsOf } from "../count-events.ts";
import type { Proof, Scenario, Step } from "../scenario.ts";
import { calmSpeed, makeOne, payAll, waitForAll } from "../shared-steps.ts";
import type { Stage, TourOrder } from "../stage.ts";

const success = "payment.order.success";
/** Each time the callback is sent twice. */
const timesAgain = 2;

export const duplicateStorm: Scenario = {
  name: "duplicates",
  title: "A storm of duplicates",
  summary: "The service sends the same callback again and again, also twice at the same time.",
  clockSpeed: calmSpeed,
  plan: (stage) => {
    const orderNo = stage.newOrderNo();
    const orders: TourOrder[] = [];
    return {
      steps: [
        sendEverythingTwice(stage, orderNo),
        makeOne(stage, orders, "The storefront makes an order", orderNo),
        payAll(stage, orders, "The consumer pays"),
        waitForAll(stage, orders, "Paycast publishes the events"),
        sendAgain(stage, orders),
      ],
      prove: () => prove(stage, orders),
    };
  },
};

function sendEverythingTwice(stage: Stage, orderNo: string): Step {
  return {
    title: "The service will send each callback twice at the same time",
    run: async (tell) => {
      await stage.fault({ kind: "send-twice", orderNo });
      tell(`The fault send-twice is on, for ${orderNo} alone.`);
    },
  };
}

function sendAgain(stage: Stage, orders: readonly TourOrder[]): Step {
  return {
    title: "The service sends the success again, several times",
    run: async (tell) => {
      for (const order of orders) {
        const { id } = await successOf(stage, order);
        for (let time = 0; time < timesAgain; time += 1) await stage.service.sendAgain(id);
        const { attempts } = await successOf(stage, order);
        const answers = attempts.map(({ httpStatus }) => httpStatus ?? "none");
        tell(`The same callback came ${attempts.length} times: ${answers.join(", ")}`, order);
      }
    },
  };
}

/** Waits for it: the simulator notes an attempt when the answer has come. */
async function successOf(stage: Stage, order: TourOrder): Promise<ServiceCallback> {
  return await stage.until("the success was sent", async () => {
    const { callbacks } = await stage.payment(order);
    return callbacks.find(({ eventName, state }) => eventName === success && state === "delivered");
  });
}

async function prove(stage: Stage, orders: readonly TourOrder[]): Promise<Proof> {
  const callbacks = await Promise.all(orders.map((order) => successOf(stage, order)));
  const attempts = callbacks.flatMap((callback) => callback.attempts);
  const accepted = attempts.filter(({ httpStatus }) => httpStatus === 200);
  const arrivals = await countArrivals(stage, orders);
  const receipts = (await Promise.all(orders.map(stage.timeline))).flatMap(receiptsOf);
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
