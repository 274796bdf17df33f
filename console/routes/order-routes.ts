import * as z from "zod";
import { findAnything } from "../../operations/orders/find-anything.ts";
import { orders } from "../../operations/orders/orders.ts";
import { keptFor } from "../../operations/target/kept-for.ts";
import { createAttemptFinder } from "../../operations/telemetry/find-attempts.ts";
import { readOrderTimeline } from "../../operations/timeline/order-timeline.ts";
import { addAttempts, type WholeTimeline } from "../../operations/timeline/whole-timeline.ts";
import type { Desk } from "../desk.ts";
import { describedRoutes } from "../server/described-routes.ts";
import { type ApiRequest, type ApiRoute, readAsked, view } from "../server/route.ts";

const time = z.iso.datetime();
const yes = z.literal("yes").optional();

const orderQuery = z.object({ merchant: z.string().max(256).optional(), attempts: yes });
const findQuery = z.object({
  text: z.string().trim().min(1).max(256),
  before: time.optional(),
  quick: yes,
});

export function orderRoutes(desk: Desk): ApiRoute[] {
  const { target: find } = desk;
  const attemptFinders = keptFor(createAttemptFinder);
  return [
    ...describedRoutes(desk, orders),
    view("/api/orders/:orderNo", async (request): Promise<WholeTimeline> => {
      const { merchant, attempts } = read(orderQuery, request);
      const target = await find();
      const timeline = await readOrderTimeline(target, request.parts["orderNo"] ?? "", merchant);
      // CloudWatch takes seconds to search, so on AWS the log is searched only when a person asks for it.
      if (target.kind === "deployed" && attempts === undefined) return timeline;
      return await addAttempts(target, timeline, attemptFinders(target));
    }),
    view("/api/find", async (request) => {
      const { text, before, quick } = read(findQuery, request);
      const options = { before, stopped: request.signal, isQuick: quick !== undefined };
      return await findAnything(await find(), text, options);
    }),
  ];
}

function read<T>(schema: z.ZodType<T>, { query }: ApiRequest): T {
  return readAsked(schema, Object.fromEntries(query));
}
