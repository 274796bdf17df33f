import { quarantine } from "../../operations/quarantine/quarantine.ts";
import { requests } from "../../operations/requests/requests.ts";
import type { Desk } from "../desk.ts";
import { describedRoutes } from "../server/described-routes.ts";
import type { ApiRoute } from "../server/route.ts";
import { flowRoutes } from "./flow-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { labRoutes } from "./lab-routes.ts";
import { orderRoutes } from "./order-routes.ts";
import { replayRoutes } from "./replay-routes.ts";
import { stackRoutes } from "./stack-routes.ts";
import { subscriberRoutes } from "./subscriber-routes.ts";
import { tourRoutes } from "./tour-routes.ts";

/** Everything that the page can ask for. */
export function consoleRoutes(desk: Desk): ApiRoute[] {
  return [
    ...stackRoutes(desk),
    ...flowRoutes(desk),
    ...orderRoutes(desk),
    ...describedRoutes(desk, quarantine),
    ...describedRoutes(desk, requests),
    ...subscriberRoutes(desk),
    ...replayRoutes(desk),
    ...keyRoutes(desk),
    ...labRoutes(desk),
    ...tourRoutes(desk),
    ...jobRoutes(desk),
  ];
}
