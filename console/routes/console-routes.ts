import type { Desk } from "../desk.ts";
import type { ApiRoute } from "../server/route.ts";
import { flowRoutes } from "./flow-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { orderRoutes } from "./order-routes.ts";
import { stackRoutes } from "./stack-routes.ts";

/** Everything that the page can ask for. */
export function consoleRoutes(desk: Desk): ApiRoute[] {
  return [...stackRoutes(desk), ...flowRoutes(desk), ...orderRoutes(desk), ...jobRoutes(desk)];
}
