import type { Instance } from "../integration/instance.ts";
import type { Shop } from "../storefront/shop.ts";
import type { ShopOptions } from "../storefront/shop-environment.ts";
import type { Canaries } from "./canary.ts";
import { createRequests, type Fields, type Route } from "./loaded.ts";
import { loadedOrder } from "./loaded-order.ts";
import { startScriptedService } from "./scripted-service.ts";
import type { Watch } from "./watch.ts";

export type StorefrontStage = Awaited<ReturnType<typeof startStorefront>>;

/** create-order and query-order under watch, before a service that answers what the test wants. */
export async function startStorefront(
  makeShop: (options: ShopOptions) => Promise<Shop>,
  canaries: Canaries,
  watch: Watch,
) {
  const service = await startScriptedService();
  const shop = await makeShop({ gateway: { baseUrl: service.url } });
  const creator = await shop.creator();
  const querier = await shop.querier();
  const requestFor = createRequests(canaries);
  const invoke = async (instance: Instance, route: Route) => {
    const outcome = await instance.invoke(requestFor(route));
    watch.outcome(outcome);
    watch.lines(instance);
    return outcome.kind === "returned" ? (outcome.value as Fields) : {};
  };
  const createFrom = async (body: string, further: object = {}, by = creator): Promise<Fields> =>
    await invoke(by, { routeKey: "POST /orders", body, ...further });
  return {
    shop,
    service,
    creator,
    querier,
    createFrom,
    create: (order: Fields = loadedOrder(canaries), by = creator) =>
      createFrom(JSON.stringify(order), {}, by),
    /** The path parameter's name decides the route. */
    get: (pathParameters: Record<string, string>, query: Record<string, string> = {}) => {
      const [name] = Object.keys(pathParameters);
      const routeKey = name === "orderNo" ? "GET /orders/{orderNo}" : "GET /payments/{paymentId}";
      return invoke(querier, { routeKey, pathParameters, query });
    },
    stray: () => invoke(querier, { routeKey: "$default" }),
  };
}
