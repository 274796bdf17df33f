import * as z from "zod";
import type { Selection } from "../../operations/replay/selection.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";

const id = z.string().min(1).max(64);
/** As the command limits it: batches are sent one after the other. */
const eventsPerSecond = z.int().min(1).max(500).default(50);

/** Of all of them, one event of one merchant. */
const one = { eventId: id.optional(), merchantId: id.optional() };

/** What the page asks for: the events of an order, of a payment, or of a time. */
export const replaySchema = z.discriminatedUnion("by", [
  z.object({ by: z.literal("order"), orderNo: id, ...one, eventsPerSecond }),
  z.object({ by: z.literal("payment"), paymentId: id, ...one, eventsPerSecond }),
  z.object({
    by: z.literal("time"),
    since: z.iso.datetime(),
    until: z.iso.datetime().optional(),
    eventsPerSecond,
  }),
]);

type Asked = z.output<typeof replaySchema>;

/** What is recorded after the start of a run is live, so a selection ends now at the latest. Throws `wrong-usage`. */
export function readSelection(asked: Asked, now: number): Selection {
  const usual = { withRefunds: true, types: [], until: toRfc3339(now) };
  switch (asked.by) {
    case "order":
      return { ...usual, ...only(asked), orderNo: asked.orderNo };
    case "payment":
      return { ...usual, ...only(asked), paymentId: asked.paymentId };
    case "time":
      return { ...usual, ...readTime(asked.since, asked.until, now) };
  }
}

function only({ eventId, merchantId }: Exclude<Asked, { by: "time" }>) {
  return { ...(eventId !== undefined && { events: [eventId] }), merchantId };
}

function readTime(sinceText: string, untilText: string | undefined, now: number) {
  const since = Date.parse(sinceText);
  const until = Math.min(now, untilText === undefined ? now : Date.parse(untilText));
  if (since <= until) return { since: toRfc3339(since), until: toRfc3339(until) };
  throw new PaycastError("wrong-usage", "The time begins after its end, or in the future.");
}
