import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { harmless } from "../../shared/terminal-text.ts";

const answerSchema = z.object({
  faults: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      orderNo: z.string().transform(harmless).optional(),
    }),
  ),
});
type Fault = z.output<typeof answerSchema>["faults"][number];

const pollMilliseconds = 1_000;

/** Tells when a fault of the payment service is switched on or off, by its page, its control API or the console. */
export function followFaults(
  gateway: string,
  tell: (line: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let before: readonly Fault[] = [];
  const follow = async () => {
    while (!signal.aborted) {
      const now = await readFaults(gateway, signal).catch(() => before);
      for (const fault of added(before, now)) tell(`fault ${nameOf(fault)} is on`);
      for (const fault of added(now, before)) tell(`fault ${nameOf(fault)} is off`);
      before = now;
      await wait(pollMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  };
  const following = follow();
  const stop = async () => {
    stopping.abort();
    await following;
  };
  return { stop };
}

async function readFaults(gateway: string, signal: AbortSignal): Promise<readonly Fault[]> {
  const response = await fetch(`${gateway}/control/faults`, { signal });
  return answerSchema.parse(await response.json()).faults;
}

function added(before: readonly Fault[], now: readonly Fault[]): readonly Fault[] {
  return now.filter(({ id }) => before.every((other) => other.id !== id));
}

function nameOf({ kind, orderNo }: Fault): string {
  return orderNo === undefined ? kind : `${kind} for ${orderNo}`;
}
