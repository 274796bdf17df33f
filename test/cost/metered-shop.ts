import { createQueue, randomName, subscribersText } from "../integration/aws-stores.ts";
import { pump } from "../integration/flow.ts";
import type { FunctionName, Instance } from "../integration/instance.ts";
import type { Shop } from "../storefront/shop.ts";
import { difference, type Usage, usageOf } from "./meter.ts";

/** A shop whose functions are metered. */
export interface MeteredShop {
  readonly shop: Shop;
  readonly instances: ReadonlyMap<FunctionName, Instance>;
  /** The messages of the inbox are processed one by one, as they come when callbacks are rare. */
  readonly drainInbox: () => Promise<void>;
}

/** With so many ordered subscribers that want every event. */
export async function meterShop(shop: Shop, subscribers: number): Promise<MeteredShop> {
  const { world } = shop;
  const wanting = Array.from({ length: subscribers }, async (_item, index) => {
    const name = `subscriber-${index}`;
    const queueUrl = await createQueue(world.sqs, randomName(name), true);
    return { name, types: ["*"], queueUrl, ordered: true };
  });
  const SUBSCRIBERS = subscribersText(await Promise.all(wanting));
  const processor = await shop.start("process-callback", { SUBSCRIBERS });
  const instances = new Map<FunctionName, Instance>([
    ["receive-callback", await shop.replace("receive-callback")],
    ["process-callback", processor],
    ["create-order", await shop.creator()],
    ["query-order", await shop.querier()],
    ["reconcile-orders", await shop.reconciler()],
  ]);
  for (const { faults } of instances.values()) faults.meter();
  return { shop, instances, drainInbox: () => pump(world, processor) };
}

/** What is used while the work is done. */
export async function measure(
  { instances }: MeteredShop,
  work: () => Promise<unknown>,
): Promise<Usage> {
  const before = usageOf(instances);
  await work();
  return difference(usageOf(instances), before);
}
