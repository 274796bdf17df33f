import * as z from "zod";
import { findAnything } from "../../operations/orders/find-anything.ts";
import { createOrderList } from "../../operations/orders/list-orders.ts";
import { keptFor } from "../../operations/target/kept-for.ts";
import { createAttemptFinder } from "../../operations/telemetry/find-attempts.ts";
import { readOrderTimeline } from "../../operations/timeline/order-timeline.ts";
import { addAttempts, type WholeTimeline } from "../../operations/timeline/whole-timeline.ts";
import { paymentStatuses } from "../../shared/facts/event-types.ts";
import type { Desk } from "../desk.ts";
import { type ApiRequest, type ApiRoute, readAsked, view } from "../server/route.ts";

const time = z.iso.datetime();
const yes = z.literal("yes").optional();

const listQuery = z.object({
  before: time.optional(),
  status: z.enum(paymentStatuses).optional(),
  flagged: yes,
  count: z.coerce.number().int().min(1).max(100).default(25),
});
const orderQuery = z.object({ merchant: z.string().max(256).optional(), attempts: yes });
const findQuery = z.object({ text: z.string().trim().min(1).max(256), before: time.optional() });

export function orderRoutes({ target: find }: Desk): ApiRoute[] {
  const knownEmpty = keptFor(() => new Set<string>());
  const lists = keptFor((target) => createOrderList(target, { emptyBuckets: knownEmpty(target) }));
  const attemptFinders = keptFor(createAttemptFinder);
  return [
    view("/api/orders", async (request) => {
      const { before, status, flagged, count } = read(listQuery, request);
      const onlyFlagged = flagged !== undefined;
      return await lists(await find())({ before, status, onlyFlagged, count });
    }),
    view("/api/orders/:orderNo", async (request): Promise<WholeTimeline> => {
      const { merchant, attempts } = read(orderQuery, request);
      const target = await find();
      const timeline = await readOrderTimeline(target, request.parts["orderNo"] ?? "", merchant);
      // CloudWatch takes seconds to search, so on AWS the log is searched only when a person asks for it.
      if (target.kind === "deployed" && attempts === undefined) return timeline;
      return await addAttempts(target, timeline, attemptFinders(target));
    }),
    view("/api/find", async (request) => {
      const { text, before } = read(findQuery, request);
      const target = await find();
      const emptyBuckets = knownEmpty(target);
      return await findAnything(target, text, { before, stopped: request.signal, emptyBuckets });
    }),
  ];
}

function read<T>(schema: z.ZodType<T>, { query }: ApiRequest): T {
  return readAsked(schema, Object.fromEntries(query));
}
