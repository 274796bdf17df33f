import { checkNow } from "../../../operations/calling/check-now.ts";
import { counted } from "../../../shared/counted.ts";
import { countArrivals, eachOnce, receiptsOf } from "../count-events.ts";
import type { Proof, Scenario, Step } from "../scenario.ts";
import { attemptsOf, makeOne, payAll, quickSpeed, waitForAll } from "../shared-steps.ts";
import type { Stage, TourOrder } from "../stage.ts";

export const lost: Scenario = {
  name: "lost",
  title: "All callbacks are lost",
  summary: "Not one callback arrives. Paycast asks the service, and the event comes all the same.",
  clockSpeed: quickSpeed,
  plan: (stage) => {
    const orderNo = stage.newOrderNo();
    const orders: TourOrder[] = [];
    return {
      steps: [
        loseCallbacks(stage, orderNo),
        makeOne(stage, orders, "The storefront makes an order", orderNo),
        payAll(stage, orders, "The consumer pays"),
        waitInVain(stage, orders),
        reconcile(stage, orders),
        waitForAll(stage, orders, "The answer goes the way of a callback"),
      ],
      prove: () => prove(stage, orders),
    };
  },
};

function loseCallbacks(stage: Stage, orderNo: string): Step {
  return {
    title: "The service loses every callback of the order",
    run: async (tell) => {
      await stage.fault({ kind: "lose", orderNo });
      tell(`The fault lose is on, for ${orderNo} alone.`);
    },
  };
}

function waitInVain(stage: Stage, orders: readonly TourOrder[]): Step {
  return {
    title: "The order is paid, and Paycast does not know it",
    run: async (tell) => {
      for (const order of orders) {
        const { status, callbacks } = await stage.until("the payment succeeds", async () => {
          const payment = await stage.payment(order);
          return payment.status === "success" ? payment : undefined;
        });
        const { order: known } = await stage.timeline(order);
        const states = callbacks.map(({ state }) => state).join(", ");
        tell(`The service: ${status}, its callbacks: ${states}. Paycast: ${known?.status}.`, order);
      }
    },
  };
}

function reconcile(stage: Stage, orders: readonly TourOrder[]): Step {
  return {
    title: "Paycast asks the service",
    run: async (tell) => {
      for (const order of orders) {
        const { nextCheckAt } = await stage.timeline(order);
        await checkNow(stage.target, order);
        const when = nextCheckAt ?? "never";
        tell(`Skipped: the wait until ${when}, two minutes after the order expires.`, order);
      }
      await stage.lab.reconcileNow();
      tell("It has asked.");
    },
  };
}

async function prove(stage: Stage, orders: readonly TourOrder[]): Promise<Proof> {
  const arrived = (await Promise.all(orders.map(stage.payment))).flatMap(attemptsOf);
  const timelines = await Promise.all(orders.map(stage.timeline));
  const published = timelines.flatMap(receiptsOf).filter((one) => one.published !== undefined);
  const origins = published.map(({ origin }) => origin);
  const arrivals = await countArrivals(stage, orders);
  const statuses = timelines.map(({ order }) => order?.status ?? "unknown").join();
  const queued = arrivals.flatMap(({ events }) => events);
  const byQuery = queued.filter(({ origin }) => origin === "query");
  return {
    sentence: `${counted(arrived.length, "callback")} arrived. The order's status is ${statuses} all the same: ${counted(published.length, "event")}, of origin ${origins.join()}.`,
    claims: [
      {
        claim: "Not one callback was sent.",
        found: counted(arrived.length, "attempt"),
        holds: arrived.length === 0,
      },
      {
        claim: "One event was published, and it says that it comes from a question to the service.",
        found: `${counted(published.length, "event")}, origin ${origins.join()}`,
        holds: origins.join() === "query",
      },
      {
        claim: "What lies in the queues says so, too.",
        found: `${byQuery.length} of ${queued.length} with origin query`,
        holds: queued.length > 0 && byQuery.length === queued.length,
      },
      eachOnce(arrivals),
    ],
  };
}
