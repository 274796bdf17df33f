import * as z from "zod";
import { PaycastError } from "../../shared/errors/paycast-error.ts";

const portTaken = z.object({ code: z.literal("EADDRINUSE"), port: z.number() });

/** A message for the user, without a stack trace. Undefined for a bug, which needs its stack trace. */
export function explainStartError(error: unknown): string | undefined {
  if (error instanceof PaycastError) return error.message;
  // The ports were free a moment before.
  const taken = portTaken.safeParse(error);
  if (!taken.success) return undefined;
  return `Another program has just taken port ${taken.data.port}. Start again.`;
}
