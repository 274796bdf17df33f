import * as z from "zod";
import { maxAheadMilliseconds, serviceRetriesEndMilliseconds } from "../../shared/timing.ts";

const hourMilliseconds = 3_600_000;

const dayMilliseconds = 24 * 3_600_000;
/** Capturing finds the cause of rejected callbacks. The limit prevents that it is forgotten. */
export const longestCaptureDays = 31;

/** The inbox keeps a message for at most 14 days, so a record must live longer to recognise a repeat. */
const minimumRecordExpiryDays = 15;

/** No payment service has more addresses than a /8 block. A larger block would protect nothing. */
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
        "The maximum age of a callback's timestamp. The default is seven days of retries and a margin, because a retry may carry the timestamp of the first attempt.",
      ),
    maxAheadSeconds: z
      .int()
      .min(0)
      .max(3600)
      .default(maxAheadMilliseconds / 1000)
      .describe("How far the timestamp may be in the future."),
    previousKeysHours: z
      .int()
      .min(0)
      .max(8760)
      .default(serviceRetriesEndMilliseconds / hourMilliseconds)
      .describe(
        "How many hours the previous keys still verify callbacks, counted from the creation of the current version, not from the time at which it became current.",
      ),
    recordExpiryDays: z.int().min(minimumRecordExpiryDays).max(3650).default(90).meta({
      description:
        "How many days callback records are kept: at least 15, and longer than `maxAgeHours`. Some records never expire.",
      more: "#records-that-do-not-expire",
    }),
    sourceAddresses: z.array(sourceAddress).min(1).max(50).optional().meta({
      description:
        "The payment service's IP addresses, or blocks like `203.0.113.0/24`. Callbacks from other addresses get 403 before they are read.",
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
          "Captures rejected callbacks until this time or until the end of this day (UTC), like `2026-11-30`, at most 31 days ahead.",
        more: "#captured-callbacks",
      }),
  })
  .refine((callbacks) => callbacks.recordExpiryDays * 24 > callbacks.maxAgeHours, {
    path: ["recordExpiryDays"],
    message: "must be longer than maxAgeHours: an expired record no longer stops a replay",
  })
  .meta({ id: "PaycastCallbacks" });

/** A date ends at midnight UTC. */
export function captureEndMilliseconds(captureUntil: string): number {
  const isDate = !captureUntil.includes("T");
  return Date.parse(captureUntil) + (isDate ? dayMilliseconds : 0);
}

export function capturesTooLong(captureUntil: string, nowMilliseconds: number): boolean {
  const ahead = captureEndMilliseconds(captureUntil) - nowMilliseconds;
  return ahead > longestCaptureDays * dayMilliseconds;
}
