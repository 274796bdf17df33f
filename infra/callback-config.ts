import * as z from "zod";

/** The inbox holds a message for at most 14 days, so a record must be kept longer to recognise a repeat. */
const minimumRecordExpiryDays = 15;

export const callbacksSchema = z
  .strictObject({
    /** Seven days of retries (§6) and a day's margin: a retry may have the timestamp of the first attempt. */
    maxAgeHours: z.int().min(1).max(8760).default(192),
    maxAheadSeconds: z.int().min(0).max(3600).default(300),
    /** How long the previous version of a merchant's keys still verifies after a rotation. */
    previousKeysHours: z.int().min(0).max(8760).default(192),
    recordExpiryDays: z.int().min(minimumRecordExpiryDays).max(3650).default(90),
  })
  .refine((callbacks) => callbacks.recordExpiryDays * 24 > callbacks.maxAgeHours, {
    path: ["recordExpiryDays"],
    message: "must be longer than maxAgeHours: an expired record no longer stops a replay",
  });
