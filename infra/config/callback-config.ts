import * as z from "zod";
import { maxAheadMilliseconds, serviceRetriesEndMilliseconds } from "../../shared/timing.ts";

const hourMilliseconds = 3_600_000;

const dayMilliseconds = 24 * 3_600_000;
/** Capturing is for finding the cause of refusals. Nobody should forget that it is on. */
export const longestCaptureDays = 31;

/** The inbox holds a message for at most 14 days, so a record must be kept longer to recognise a repeat. */
const minimumRecordExpiryDays = 15;

/** No payment service has more addresses than a block of /8; a larger one would look like a protection and be none. */
const fewestBlockBits = 8;

/** An address or a block of addresses. */
const sourceAddress = z
  .union(
    [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
    'must be an IP address or a block like "203.0.113.0/24"',
  )
  .refine(
    (block) => Number(block.split("/")[1] ?? fewestBlockBits) >= fewestBlockBits,
    `must not be a block larger than /${fewestBlockBits}: without sourceAddresses, callbacks are accepted from anywhere`,
  );

export const callbacksSchema = z
  .strictObject({
    maxAgeHours: z
      .int()
      .min(1)
      .max(8760)
      .default(serviceRetriesEndMilliseconds / hourMilliseconds)
      .describe(
        "How old a callback's timestamp may be: seven days of retries and a margin, because a retry may have the timestamp of the first attempt.",
      ),
    maxAheadSeconds: z
      .int()
      .min(0)
      .max(3600)
      .default(maxAheadMilliseconds / 1000)
      .describe("How far ahead of our clock it may be."),
    previousKeysHours: z
      .int()
      .min(0)
      .max(8760)
      .default(serviceRetriesEndMilliseconds / hourMilliseconds)
      .describe(
        "How many hours the previous keys go on verifying, counted from the time at which the current version was made, not at which it became current.",
      ),
    recordExpiryDays: z
      .int()
      .min(minimumRecordExpiryDays)
      .max(3650)
      .default(90)
      .describe(
        "How long callback records are kept: at least 15 days, and longer than `maxAgeHours`. Quarantined callbacks, and records of a profile that does not sign the callback's `id` and `timestamp`, do not expire.",
      ),
    sourceAddresses: z.array(sourceAddress).min(1).max(50).optional().meta({
      description:
        "The addresses that the payment service calls from, each an IP address or a block like `203.0.113.0/24`. Callbacks from others are refused before they are read.",
      without: "anywhere",
      more: "#addresses-of-the-payment-service",
    }),
    captureUntil: z
      .union(
        [z.iso.datetime({ offset: true }), z.iso.date()],
        'must be a date or a time, like "2026-11-30" or "2026-11-30T18:00:00Z"',
      )
      .optional()
      .meta({
        description:
          "Captures refused callbacks until this date (in UTC, the day included) or time, like `2026-11-30`, at most 31 days ahead. After that time it captures nothing.",
        more: "#captured-callbacks",
      }),
  })
  .refine((callbacks) => callbacks.recordExpiryDays * 24 > callbacks.maxAgeHours, {
    path: ["recordExpiryDays"],
    message: "must be longer than maxAgeHours: an expired record no longer stops a replay",
  })
  .meta({ id: "PaycastCallbacks" });

/** A date includes its last moment, in UTC. */
export function captureEndMilliseconds(captureUntil: string): number {
  const isDate = !captureUntil.includes("T");
  return Date.parse(captureUntil) + (isDate ? dayMilliseconds : 0);
}

export function capturesTooLong(captureUntil: string, nowMilliseconds: number): boolean {
  const ahead = captureEndMilliseconds(captureUntil) - nowMilliseconds;
  return ahead > longestCaptureDays * dayMilliseconds;
}
