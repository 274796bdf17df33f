import { readReceiveLines } from "../../../operations/telemetry/receive-lines.ts";
import { countArrivals, eachOnce, many, receiptsOf } from "../count-events.ts";
import type { Claim, Proof, Scenario, Step } from "../scenario.ts";
import { attemptsOf, waitForAll } from "../shared-steps.ts";
import type { Stage, TourOrder } from "../stage.ts";

const orderCount = 24;
/** The keys change after so many. */
const ordersBefore = 8;
/** The callbacks of the first orders are on their way while the keys change, and arrive after it. */
const heldUpCount = 3;
const heldUpSeconds = 200;
/**
 * The service's first three retries come within a minute. An instance that has just refused a callback looks for new
 * keys only after a minute, so the third one is accepted.
 */
const fastSpeed = 60;
/** Consumers who pay at the same time. */
const atOnce = 3;

export const keysRotated: Scenario = {
  name: "keys",
  title: "Keys change under load",
  summary: "The service changes its keys while orders are made and paid. No callback is lost.",
  clockSpeed: fastSpeed,
  plan: (stage) => {
    const orders: TourOrder[] = [];
    return {
      steps: [
        loadAndRotate(stage, orders),
        waitForAll(stage, orders, "Every order is paid, and every event is sent"),
      ],
      prove: () => prove(stage, orders),
    };
  },
};

function loadAndRotate(stage: Stage, orders: TourOrder[]): Step {
  return {
    title: `${orderCount} orders are made and paid, and the keys change in between`,
    run: async (tell) => {
      let rotating: Promise<void> | undefined;
      for (let made = 0; made < orderCount; made += atOnce) {
        const batch = Array.from({ length: atOnce }, (_, index) =>
          payOne(stage, made + index < heldUpCount),
        );
        orders.push(...(await Promise.all(batch)));
        if (orders.length >= ordersBefore) rotating ??= rotate(stage, tell, orders.length);
      }
      await rotating;
      tell(`${orders.length} orders were made and paid.`);
    },
  };
}

async function payOne(stage: Stage, isHeldUp: boolean): Promise<TourOrder> {
  const orderNo = stage.newOrderNo();
  if (isHeldUp) await stage.fault({ kind: "delay", orderNo, seconds: heldUpSeconds });
  const order = await stage.order(orderNo);
  await stage.pay(order);
  return order;
}

async function rotate(stage: Stage, tell: (text: string) => void, after: number): Promise<void> {
  const merchantId = stage.target.merchants[0]?.merchantId ?? "";
  await stage.service.rotateKeys(merchantId);
  tell(`After ${after} orders the service changed its keys; the secrets of ${merchantId} got them first.`);
}

async function prove(stage: Stage, orders: readonly TourOrder[]): Promise<Proof> {
  const timelines = await Promise.all(orders.map(stage.timeline));
  const paid = timelines.filter(({ order }) => order?.status === "success");
  const payments = await Promise.all(orders.map(stage.payment));
  const callbacks = payments.flatMap((payment) => payment.callbacks);
  const delivered = callbacks.filter(({ state }) => state === "delivered");
  const refused = payments.flatMap(attemptsOf).filter(({ httpStatus }) => httpStatus !== 200);
  const versions = new Set(timelines.flatMap(receiptsOf).map(({ keyVersion }) => keyVersion));
  return {
    sentence: `${paid.length} of ${orders.length} orders are paid, ${delivered.length} of ${many(callbacks.length, "callback")} accepted, verified by ${many(versions.size, "version")} of the keys.`,
    claims: [
      {
        claim: "No order was lost.",
        found: `${paid.length} of ${orders.length} are paid`,
        holds: orders.length >= orderCount && paid.length === orders.length,
      },
      {
        claim: "No callback was refused for good.",
        found: `${delivered.length} of ${callbacks.length} accepted; ${many(refused.length, "refusal")} on the way, sent again by the service`,
        holds: callbacks.length > 0 && delivered.length === callbacks.length,
      },
      {
        claim: "Both versions of the keys verified callbacks.",
        found: many(versions.size, "version"),
        holds: versions.size === 2,
      },
      await stageClaim(stage, orders),
      eachOnce(await countArrivals(stage, orders)),
    ],
  };
}

/** What the metric counts: callbacks that are still verified with the previous version. */
async function stageClaim(
  { target, startedMilliseconds }: Stage,
  orders: readonly TourOrder[],
): Promise<Claim> {
  const numbers = new Set(orders.map(({ orderNo }) => orderNo));
  const lines = await readReceiveLines(target, startedMilliseconds);
  const own = lines.filter(({ orderNo = "" }) => numbers.has(orderNo));
  const count = (stage: string) => own.filter(({ keyStage }) => keyStage === stage).length;
  return {
    claim: "The log tells which keys verified, so that an operator sees when the old ones can go.",
    found: `${count("current")} with the current keys, ${count("previous")} with the previous`,
    holds: count("current") > 0 && count("previous") > 0,
  };
}
