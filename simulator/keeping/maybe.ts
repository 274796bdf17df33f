import type * as z from "zod";

/** JSON has no undefined, so the file has null in its place. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullable().transform((value) => value ?? undefined);
}
