import { expect, test } from "vitest";
import { makeMerchant } from "../builders/merchant.ts";
import { queuedPayment } from "./callbacks.ts";
import { eventsOf, process } from "./flow.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();

const paymentOf = (world: World, merchantId: string) =>
  queuedPayment({ ...world, merchant: makeMerchant({ merchantId }) });

async function merchantsAt(world: World, name: string): Promise<string[]> {
  return (await eventsOf(world, name)).map(({ data }) => data.merchantId).sort();
}

test("each subscriber gets the events of its merchants and of no others", async () => {
  const world = await makeWorld({
    subscribers: [
      { name: "all" },
      { name: "first", merchants: ["M1"] },
      { name: "both", merchants: ["M1", "M2"] },
    ],
  });
  const processor = await world.start("process-callback");
  const messages = ["M1", "M2", "M3"].map((merchantId) => paymentOf(world, merchantId));
  expect(await process(processor, ...messages)).toEqual([]);
  expect(await merchantsAt(world, "all")).toEqual(["M1", "M2", "M3"]);
  expect(await merchantsAt(world, "first")).toEqual(["M1"]);
  expect(await merchantsAt(world, "both")).toEqual(["M1", "M2"]);
});
