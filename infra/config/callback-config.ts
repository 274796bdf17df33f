import * as z from "zod";

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
    /** Seven days of retries (§6) and a day's margin: a retry may have the timestamp of the first attempt. */
    maxAgeHours: z.int().min(1).max(8760).default(192),
    maxAheadSeconds: z.int().min(0).max(3600).default(300),
    /** How long the previous version of a merchant's keys still verifies after a rotation. */
    previousKeysHours: z.int().min(0).max(8760).default(192),
    recordExpiryDays: z.int().min(minimumRecordExpiryDays).max(3650).default(90),
    /** Callbacks from other addresses are refused before they are read. */
    sourceAddresses: z.array(sourceAddress).min(1).max(50).optional(),
    /** Until then the refused envelopes of configured merchants are captured. A time in the past captures nothing. */
    captureUntil: z
      .union(
        [z.iso.datetime({ offset: true }), z.iso.date()],
        'must be a date or a time, like "2026-11-30" or "2026-11-30T18:00:00Z"',
      )
      .optional(),
  })
  .refine((callbacks) => callbacks.recordExpiryDays * 24 > callbacks.maxAgeHours, {
    path: ["recordExpiryDays"],
    message: "must be longer than maxAgeHours: an expired record no longer stops a replay",
  });

/** A date includes its last moment, in UTC. */
export function captureEndMilliseconds(captureUntil: string): number {
  const isDate = !captureUntil.includes("T");
  return Date.parse(captureUntil) + (isDate ? dayMilliseconds : 0);
}

export function capturesTooLong(captureUntil: string, nowMilliseconds: number): boolean {
  const ahead = captureEndMilliseconds(captureUntil) - nowMilliseconds;
  return ahead > longestCaptureDays * dayMilliseconds;
}
