import { subscribersTo } from "../../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";
import { counted } from "../../../../shared/text/number-text.ts";
import type { StackSubscriber } from "../../../operations/ports/queues.ts";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { Claim, Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground } from "../playground.ts";
import {
  calmSpeed,
  countArrivals,
  eachOnce,
  forEachOrder,
  makeOne,
  payAll,
  receiptsOf,
  shortName,
  waitForAll,
} from "../shared-steps.ts";

export const subscriberDown: Scenario = {
  name: "subscriber-down",
  title: "A subscriber is down and recovers",
  summary:
    "One queue rejects everything. The others get the event immediately, only later events of the same order wait, and nothing is lost.",
  clockSpeed: calmSpeed,
  plan: (playground) => {
    const waited: Waited[] = [];
    const broken = chooseSubscriber(playground);
    return {
      steps: [
        breakQueue(playground, broken),
        makeOne(playground),
        payAll(playground, "The customer pays"),
        seeWaiting(playground, broken, waited),
        restore(playground, broken),
        waitForAll(playground, "It gets everything it missed"),
      ],
      prove: () => prove(playground, broken, waited),
    };
  },
};

/** Observations while the queue was broken. */
interface Waited {
  readonly type: string;
  readonly served: readonly string[];
  readonly others: readonly string[];
}

/** The subscriber with the most event types, preferably with a FIFO queue: it has the most to lose. */
function chooseSubscriber({ target }: Playground): StackSubscriber {
  const merchantId = target.stack.merchants[0]?.merchantId ?? "";
  const wants = (type: "payment.order.success" | "payment.order.confirming") =>
    subscribersTo({ type, merchantId }, target.queues.subscribers).map(({ name }) => name);
  const [confirming, success] = [wants("payment.order.confirming"), wants("payment.order.success")];
  const worth = ({ name, ordered }: StackSubscriber) =>
    (confirming.includes(name) ? 2 : 0) + (ordered ? 1 : 0);
  const candidates = target.queues.subscribers.filter(({ name }) => success.includes(name));
  const [first] = candidates.toSorted((left, right) => worth(right) - worth(left));
  if (first === undefined) throw noSubscriber();
  return first;
}

function breakQueue(playground: Playground, { name }: StackSubscriber): Step {
  return {
    title: `The queue of ${name} rejects every event, like a deleted queue`,
    run: async (tell) => {
      await playground.breakQueue(name);
      tell(`Broken: ${playground.lab.breakage().brokenSubscribers.join(", ")}.`);
    },
  };
}

function seeWaiting(playground: Playground, { name }: StackSubscriber, waited: Waited[]): Step {
  return forEachOrder(playground, "The others get the event immediately", async (order, tell) => {
    const seen = await playground.until(
      `an event of ${order.orderNo} waits for ${name}`,
      async () =>
        receiptsOf(await playground.timeline(order))
          .map((entry) => waitingFor(entry, name))
          .find((found) => found !== undefined),
    );
    waited.push(seen);
    const others = seen.served.length === 0 ? "nobody else" : seen.served.join(", ");
    tell(`${shortName(seen.type)}: ${others} got it, ${name} did not.`, order);
    tell(
      "Later callbacks of this order wait behind it for about a minute at most, so its events stay in order. Other orders do not wait.",
    );
  });
}

/** Undefined until an event was sent: then the others have it and this subscriber does not. */
function waitingFor({ type = "", published }: ReceiptEntry, name: string): Waited | undefined {
  const deliveries = published?.deliveries ?? [];
  const own = deliveries.find(({ subscriber }) => subscriber === name);
  const others = deliveries.filter(({ subscriber }) => subscriber !== name);
  const served = others.filter(({ state }) => state === "sent");
  if (own?.state !== "waiting" || served.length < others.length) return undefined;
  const names = (list: typeof others) => list.map(({ subscriber }) => subscriber);
  return { type, served: names(served), others: names(others) };
}

function restore({ lab }: Playground, { name }: StackSubscriber): Step {
  return {
    title: `The queue of ${name} accepts events again`,
    run: async (tell) => {
      lab.setBroken(name, false);
      tell("Paycast retries by itself, after a delay that grows with the outage.");
    },
  };
}

async function prove(
  playground: Playground,
  broken: StackSubscriber,
  waited: readonly Waited[],
): Promise<Proof> {
  const arrivals = await countArrivals(playground);
  const own = arrivals.find(({ subscriber }) => subscriber === broken.name);
  const sequences = own?.events.map(({ sequence }) => sequence) ?? [];
  const types = own?.events.map(({ type }) => shortName(type)) ?? [];
  const served = waited.flatMap((order) => order.served);
  return {
    sentence: `${broken.name} was down and now has ${types.join(", then ")}; ${counted(served.length, "other queue")} got the event immediately.`,
    claims: [
      {
        claim: `While ${broken.name} was down, the others got the event.`,
        found: `${served.length} of ${waited.flatMap((order) => order.others).length}`,
        holds:
          waited.length > 0 && waited.every((order) => order.served.length === order.others.length),
      },
      orderClaim(broken, sequences),
      eachOnce(arrivals),
    ],
  };
}

/** A standard queue guarantees no order, so the claim is only what the queue guarantees. */
export function orderClaim(
  { name, ordered }: Pick<StackSubscriber, "name" | "ordered">,
  sequences: readonly number[],
): Claim {
  const isInOrder = sequences.every((sequence, index) => sequence > (sequences[index - 1] ?? 0));
  return {
    claim: ordered
      ? `${name} has the events in order.`
      : `${name} has the events; its queue keeps no order, but the event numbers do.`,
    found: `event ${sequences.join(", ")}`,
    holds: sequences.length > 0 && (isInOrder || !ordered),
  };
}

function noSubscriber(): PaycastError {
  const message =
    "No subscriber of this stack receives payment.order.success, so there is nothing to show.";
  return new PaycastError("local-tour-failed", message);
}
