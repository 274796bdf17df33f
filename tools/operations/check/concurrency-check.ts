import { counted } from "../../../shared/text/number-text.ts";
import { createCallMilliseconds } from "../../../shared/timing.ts";
import { available } from "../ports/available.ts";
import { type Concurrency, findFunction } from "../ports/functions.ts";
import { type Check, ok, type Verdict, warning } from "./finding.ts";

/** Whether a payment service that hangs could take the instances that callbacks need. */
export const concurrencyCheck: Check = {
  name: "concurrency",
  run: async ({ functions }) => {
    const labels = new Map(functions.all.map(({ label, name }) => [name, label]));
    const { reserved, ...account } = await available(functions.lambda).concurrencyOf([
      ...labels.keys(),
    ]);
    const byLabel = [...reserved].map(
      ([name, instances]) => [labels.get(name), instances] as const,
    );
    const isSelling = findFunction(functions, "create-order") !== undefined;
    return [concurrencyVerdict({ ...account, reserved: new Map(byLabel) }, isSelling)];
  },
};

/** Lambda keeps so many for functions without a reservation. */
const leastUnreserved = 100;
/** Enough for 500 callbacks a second, the limit of the route, at 100 ms each. */
const wantedReservation = 50;
const creationSeconds = createCallMilliseconds / 1000;

/** What is reserved for a function is also the most that it can use. */
const storefront = ["create-order", "query-order"];

interface StackConcurrency extends Omit<Concurrency, "reserved"> {
  readonly reserved: ReadonlyMap<string | undefined, number>;
}

export function concurrencyVerdict(
  { limit, unreserved, reserved }: StackConcurrency,
  isSelling: boolean,
): Verdict {
  const account = `The account may run ${limit} instances at the same time`;
  const ofCallbacks = reserved.get("receive-callback");
  if (ofCallbacks !== undefined) {
    return ok(`${account}; receive-callback has ${ofCallbacks} reserved`);
  }
  if (!isSelling) return ok(account);
  if (storefront.every((label) => reserved.has(label))) {
    return ok(`${account}; the storefront can use only what is reserved for it`);
  }
  const creations = Math.floor(unreserved / creationSeconds);
  const message = `${account}, and ${unreserved} are not reserved. If the payment service hangs, each new order uses one for ${creationSeconds} seconds: ${counted(creations, "order")} a second would leave none for callbacks.`;
  return warning(message, actionFor(unreserved, creations));
}

function actionFor(unreserved: number, creations: number): string {
  const reservable = Math.min(wantedReservation, unreserved - leastUnreserved);
  if (reservable > 0) {
    return `Set concurrency.receiveCallback in the config, for example to ${reservable}, and deploy.`;
  }
  return `Nothing can be reserved: ask AWS to raise the quota "Concurrent executions" of Lambda. Until then set storefront.requestsPerSecond.create below ${Math.max(creations, 2)}, and deploy.`;
}
