import { counted } from "../../../../shared/text/number-text.ts";
import { checkNow } from "../../../operations/calling/check-now.ts";
import type { Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground } from "../playground.ts";
import {
  attemptsOf,
  countArrivals,
  eachOnce,
  forEachOrder,
  makeFaulty,
  payAll,
  quickSpeed,
  receiptsOf,
  waitForAll,
} from "../shared-steps.ts";

export const lost: Scenario = {
  name: "lost",
  title: "All callbacks are lost",
  summary:
    "No callback arrives. Paycast queries the payment service and still publishes the event.",
  clockSpeed: quickSpeed,
  plan: (playground) => ({
    steps: [
      ...makeFaulty(playground, "lose", "The payment service loses every callback of the order"),
      payAll(playground, "The customer pays"),
      waitInVain(playground),
      reconcile(playground),
      waitForAll(playground, "The query result takes the path of a callback"),
    ],
    prove: () => prove(playground),
  }),
};

function waitInVain(playground: Playground): Step {
  const title = "The order is paid, and Paycast does not know";
  return forEachOrder(playground, title, async (order, tell) => {
    const { status, callbacks } = await playground.until("the payment succeeds", async () => {
      const payment = await playground.payment(order);
      return payment.status === "success" ? payment : undefined;
    });
    const { order: known } = await playground.timeline(order);
    const states = callbacks.map(({ state }) => state).join(", ");
    tell(`Payment service: ${status}, its callbacks: ${states}. Paycast: ${known?.status}.`, order);
  });
}

function reconcile(playground: Playground): Step {
  return forEachOrder(playground, "Paycast queries the payment service", async (order, tell) => {
    const { nextCheckAt } = await playground.timeline(order);
    await checkNow(playground.target, order);
    const when = nextCheckAt ?? "never";
    tell(`Skipped: the wait until ${when}, two minutes after the order expires.`, order);
    await playground.lab.reconcileNow();
    tell("The query is done.");
  });
}

async function prove(playground: Playground): Promise<Proof> {
  const { orders } = playground;
  const arrived = (await Promise.all(orders.map(playground.payment))).flatMap(attemptsOf);
  const timelines = await Promise.all(orders.map(playground.timeline));
  const published = timelines
    .flatMap(receiptsOf)
    .filter((receipt) => receipt.published !== undefined);
  const origins = published.map(({ origin }) => origin);
  const arrivals = await countArrivals(playground);
  const statuses = timelines.map(({ order }) => order?.status ?? "unknown").join();
  const queued = arrivals.flatMap(({ events }) => events);
  const byQuery = queued.filter(({ origin }) => origin === "query");
  return {
    sentence: `${counted(arrived.length, "callback")} arrived. The order's status is ${statuses} nevertheless: ${counted(published.length, "event")}, of origin ${origins.join()}.`,
    claims: [
      {
        claim: "No callback was sent.",
        found: counted(arrived.length, "attempt"),
        holds: arrived.length === 0,
      },
      {
        claim: "One event was published, and its origin is a query.",
        found: `${counted(published.length, "event")}, origin ${origins.join()}`,
        holds: origins.join() === "query",
      },
      {
        claim: "The events in the queues have the same origin.",
        found: `${byQuery.length} of ${queued.length} with origin query`,
        holds: queued.length > 0 && byQuery.length === queued.length,
      },
      eachOnce(arrivals),
    ],
  };
}
