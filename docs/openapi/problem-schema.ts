import * as z from "zod";
import { type Problem, problemKinds, problemOf } from "../../shared/storefront/problem.ts";

/** RFC 9457. The types make sure that it says what the functions send. */
export const faultSchema = z.object({ pointer: z.string(), detail: z.string() });

export const serviceRefusalSchema = z.object({ code: z.string(), msg: z.string() });

export const problemSchema = z.object({
  type: z.enum(problemKinds.map((kind) => problemOf(kind, "").type)),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(faultSchema).exactOptional(),
  retryAfterSeconds: z.int().min(1).exactOptional(),
  service: serviceRefusalSchema.exactOptional(),
}) satisfies z.ZodType<Problem>;
