import { counted } from "../../../../shared/number-text.ts";
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
/** The keys change after this many orders. */
const ordersBefore = 8;
/** Consumers who pay at the same time. */
const atOnce = 3;
/** The callbacks of the first orders are held up at the service, until the tour lets them go. */
const heldUpSeconds = 86_400;
/**
 * The service's first three retries come within a minute. An instance that has just refused a callback looks for new
 * keys only after a minute, so the third one is accepted.
 */
const fastSpeed = 60;

export const keysRotated: Scenario = {
  name: "keys",
  title: "Keys change under load",
  summary: "The service changes its keys while orders are made and paid. No callback is lost.",
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
        waitForAll(playground, "The late ones are verified with the previous keys", heldUp),
      ],
      prove: () => prove(playground),
    };
  },
};

function holdUp(playground: Playground): Step {
  return {
    title: "Some orders are paid, and their callbacks are held up on the way",
    run: async (tell) => {
      for (let made = 0; made < atOnce; made += 1) {
        const order = await playground.order();
        // A fault stays on the callbacks that it has hit, so switching it off is not enough.
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
    title: `${orderCount} orders are made and paid, and the keys change in between`,
    run: async (tell) => {
      const orders: TourOrder[] = [];
      let rotating: Promise<void> | undefined;
      while (orders.length < orderCount) {
        // Making keys takes an unknown time. The last orders wait for it, so that some of them have the new keys.
        if (orders.length >= orderCount - atOnce) await rotating;
        const batch = Array.from({ length: atOnce }, () => payOne(playground));
        orders.push(...(await Promise.all(batch)));
        if (orders.length >= ordersBefore) rotating ??= rotate(playground, tell, orders.length);
        // It is awaited above. If an order fails before that, an error here would be one that nobody handles.
        rotating?.catch(() => undefined);
      }
      tell(`${orders.length} orders were made and paid.`, orders.at(-1));
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
  const merchantId = playground.target.merchants[0]?.merchantId ?? "";
  await playground.service.rotateKeys(merchantId);
  tell(
    `After ${after} orders the service changed its keys. The secrets of ${merchantId} got them first.`,
  );
}

function letGo(playground: Playground, heldUp: () => readonly TourOrder[]): Step {
  return {
    title: "The callbacks that were held up arrive, signed with the old keys",
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
  // What a query told was verified by no keys.
  const versions = new Set(
    timelines.flatMap(receiptsOf).flatMap(({ keyVersion }) => keyVersion ?? []),
  );
  return {
    sentence: `${paid.length} of ${orders.length} orders are paid, ${delivered.length} of ${counted(callbacks.length, "callback")} accepted, verified by ${counted(versions.size, "version")} of the keys.`,
    claims: [
      {
        claim: "No order was lost.",
        found: `${paid.length} of ${orders.length} are paid`,
        holds: orders.length >= atOnce + orderCount && paid.length === orders.length,
      },
      {
        claim: "No callback was refused for good.",
        found: `${delivered.length} of ${callbacks.length} accepted; ${counted(refused.length, "refusal")} on the way, sent again by the service`,
        holds: callbacks.length > 0 && delivered.length === callbacks.length,
      },
      {
        claim: "Both versions of the keys verified callbacks.",
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
    claim: "The log tells which keys verified, so that an operator sees when the old ones can go.",
    found: `${count("current")} with the current keys, ${count("previous")} with the previous`,
    holds: count("current") > 0 && count("previous") > 0,
  };
}
