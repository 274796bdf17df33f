import * as z from "zod";

/** What CloudWatch Logs accepts. */
const days = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

export const logRetentionSchema = z
  .int()
  .refine((value) => days.includes(value), `must be one of ${days.join(", ")}`)
  .default(90);
