import * as z from "zod";
import { readFlow } from "../../operations/overview/read-flow.ts";
import { rangeNames } from "../../operations/telemetry/metric.ts";
import type { Desk } from "../desk.ts";
import { type ApiRoute, readAsked, view } from "../server/route.ts";

const flowQuery = z.object({ range: z.enum(rangeNames).default("1h") });

export function flowRoutes({ target, metrics }: Desk): ApiRoute[] {
  return [
    view("/api/flow", async ({ query }) => {
      const asked = readAsked(flowQuery, Object.fromEntries(query));
      return await readFlow(await target(), await metrics(), asked);
    }),
  ];
}
