import { readFlow } from "../../operations/overview/read-flow.ts";
import type { Desk } from "../desk.ts";
import { type ApiRoute, view } from "../server/route.ts";

const minutes = 60;

export function flowRoutes({ target, metrics }: Desk): ApiRoute[] {
  return [
    view("/api/flow", async () => await readFlow(await target(), await metrics(), { minutes })),
  ];
}
