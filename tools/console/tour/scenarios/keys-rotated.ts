import { counted } from "../../../../shared/text/number-text.ts";
import type { ServiceControl } from "../../../operations/calling/service-control.ts";
import type { Claim, Proof, Scenario, Step } from "../play-scenario.ts";
import type { Playground, TourOrder } from "../playground.ts";
import {
  attemptsOf,
  countArrivals,
  eachOnce,
  readOwnLines,
  receiptsOf,
  waitForAll,
} from "../shared-steps.ts";

const orderCount = 24;
/** The keys rotate after this many orders. */
const ordersBefore = 8;
/** Customers who pay at the same time. */
const atOnce = 3;
/** The payment service holds the callbacks of the first orders until the tour releases them. */
const heldUpSeconds = 86_400;
/**
 * The payment service's first three retries arrive within a minute. An instance that has just rejected a callback looks
 * for new keys only after a minute, so it accepts the third retry.
 */
const fastSpeed = 60;

export const keysRotated: Scenario = {
  name: "keys",
  title: "Key rotation under load",
  summary:
    "The payment service rotates its keys while orders are created and paid. No callback is lost.",
  clockSpeed: fastSpeed,
  plan: (playground) => {
    const heldUp = () => playground.orders.slice(0, atOnce);
    const others = () => playground.orders.slice(atOnce);
    return {
      steps: [
        holdUp(playground),
        loadAndRotate(playground),
        waitForAll(playground, "Every order is paid, and every event is sent", others),
        letGo(playground, heldUp),
        waitForAll(playground, "The late callbacks are verified with the previous keys", heldUp),
      ],
      prove: () => prove(playground),
    };
  },
};

function holdUp(playground: Playground): Step {
  return {
    title: "Some orders are paid, and their callbacks are delayed",
    run: async (tell) => {
      for (let made = 0; made < atOnce; made += 1) {
        const order = await playground.order();
        // A fault stays on the callbacks that it has affected, so switching it off is not enough.
        await playground.atEnd((service) => sendWaiting(service, order));
        const { orderNo } = order;
        await playground.fault({ kind: "delay", orderNo, seconds: heldUpSeconds });
        await playground.pay(order);
        tell(`${orderNo} is paid. Its callbacks are signed with the old keys.`, order);
      }
    },
  };
}

function loadAndRotate(playground: Playground): Step {
  return {
    title: `${orderCount} orders are created and paid, and the keys rotate in between`,
    run: async (tell) => {
      const orders: TourOrder[] = [];
      let rotating: Promise<void> | undefined;
      while (orders.length < orderCount) {
        // Key generation takes an unknown time. The last orders wait for it, so that some of them use the new keys.
        if (orders.length >= orderCount - atOnce) await rotating;
        const batch = Array.from({ length: atOnce }, () => payOne(playground));
        orders.push(...(await Promise.all(batch)));
        if (orders.length >= ordersBefore) rotating ??= rotate(playground, tell, orders.length);
        // It is awaited above. If an order fails before that, a rejection here would be unhandled.
        rotating?.catch(() => undefined);
      }
      tell(`${orders.length} orders were created and paid.`, orders.at(-1));
    },
  };
}

async function payOne(playground: Playground): Promise<TourOrder> {
  const order = await playground.order();
  await playground.pay(order);
  return order;
}

async function rotate(
  playground: Playground,
  tell: (text: string) => void,
  after: number,
): Promise<void> {
  const merchantId = playground.target.stack.merchants[0]?.merchantId ?? "";
  await playground.service.rotateKeys(merchantId);
  tell(
    `After ${after} orders the payment service rotated its keys. The secrets of ${merchantId} got them first.`,
  );
}

function letGo(playground: Playground, heldUp: () => readonly TourOrder[]): Step {
  return {
    title: "The delayed callbacks arrive, signed with the old keys",
    run: async (tell) => {
      for (const order of heldUp()) {
        await sendWaiting(playground.service, order);
        const answers = attemptsOf(await playground.payment(order)).map(
          ({ httpStatus }) => httpStatus,
        );
        tell(`${order.orderNo}: ${answers.join(", ")}`, order);
      }
    },
  };
}

async function sendWaiting(service: ServiceControl, { paymentId }: TourOrder): Promise<void> {
  const { callbacks } = await service.payment(paymentId);
  const waiting = callbacks.filter(({ state }) => state === "waiting");
  for (const { id } of waiting) await service.sendAgain(id);
}

async function prove(playground: Playground): Promise<Proof> {
  const { orders } = playground;
  const timelines = await Promise.all(orders.map(playground.timeline));
  const paid = timelines.filter(({ order }) => order?.status === "success");
  const payments = await Promise.all(orders.map(playground.payment));
  const callbacks = payments.flatMap((payment) => payment.callbacks);
  const delivered = callbacks.filter(({ state }) => state === "delivered");
  const refused = payments.flatMap(attemptsOf).filter(({ httpStatus }) => httpStatus !== 200);
  // A query result is not verified with callback keys.
  const versions = new Set(
    timelines.flatMap(receiptsOf).flatMap(({ keyVersion }) => keyVersion ?? []),
  );
  return {
    sentence: `${paid.length} of ${orders.length} orders are paid, ${delivered.length} of ${counted(callbacks.length, "callback")} accepted, verified with ${counted(versions.size, "key version")}.`,
    claims: [
      {
        claim: "No order was lost.",
        found: `${paid.length} of ${orders.length} are paid`,
        holds: orders.length >= atOnce + orderCount && paid.length === orders.length,
      },
      {
        claim: "Every callback was accepted in the end.",
        found: `${delivered.length} of ${callbacks.length} accepted; ${counted(refused.length, "rejection")} before that, retried by the payment service`,
        holds: callbacks.length > 0 && delivered.length === callbacks.length,
      },
      {
        claim: "Both key versions verified callbacks.",
        found: counted(versions.size, "version"),
        holds: versions.size === 2,
      },
      await stageClaim(playground),
      eachOnce(await countArrivals(playground)),
    ],
  };
}

/** What the metric counts: callbacks that are still verified with the previous version. */
async function stageClaim(playground: Playground): Promise<Claim> {
  const lines = await readOwnLines(playground);
  const count = (stage: string) => lines.filter(({ keyStage }) => keyStage === stage).length;
  return {
    claim:
      "The log shows which keys verified a callback, so an operator sees when the old ones can be removed.",
    found: `${count("current")} with the current keys, ${count("previous")} with the previous`,
    holds: count("current") > 0 && count("previous") > 0,
  };
}
