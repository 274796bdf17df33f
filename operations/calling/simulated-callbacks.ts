import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import type { Target } from "../target/target.ts";

const attemptSchema = z.object({
  startedMilliseconds: z.number(),
  durationMilliseconds: z.number(),
  faults: z.array(z.string()),
  httpStatus: z.optional(z.number()),
  detail: z.string(),
});

const orderSchema = z.object({
  callbacks: z.array(
    z.object({ id: z.string(), eventName: z.string(), attempts: z.array(attemptSchema) }),
  ),
});

/** A callback as the local payment service sent it, with each attempt and the answer that it got. */
export type SimulatedCallback = z.output<typeof orderSchema>["callbacks"][number];

const limitMilliseconds = 2_000;

/** Only the local payment service can be asked. What it does not tell is left out: it is an addition to the timeline. */
export async function readSimulatedCallbacks(
  { simulator }: Target,
  paymentIds: readonly string[],
): Promise<readonly SimulatedCallback[]> {
  if (simulator === undefined) return [];
  const found = await Promise.all(paymentIds.map((id) => ask(simulator, id)));
  return found.flat();
}

async function ask(simulator: string, paymentId: string): Promise<readonly SimulatedCallback[]> {
  const url = `${simulator}/control/orders/${encodeURIComponent(paymentId)}`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(limitMilliseconds) });
    const read = orderSchema.safeParse(parseJson(await answer.text()));
    return read.success ? read.data.callbacks : [];
  } catch {
    return [];
  }
}
