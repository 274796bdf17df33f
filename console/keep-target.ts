import type { AwsClients } from "../operations/target/aws-clients.ts";
import type { Target } from "../operations/target/target.ts";
import { createMetrics } from "../operations/telemetry/read-metrics.ts";

/** Gets the clients of the target that was found before. A target with new ones would leave their connections open. */
export type FindTarget = (clients?: AwsClients) => Promise<Target>;

interface Found {
  readonly target: Target;
  readonly metrics: ReturnType<typeof createMetrics>;
}

const freshMilliseconds = 5 * 60_000;

/** Finds the stack when it is first needed, and again after some minutes: a deployment may have changed it. */
export function keepTarget(findTarget: FindTarget, now: () => number = Date.now) {
  let kept: { found: Promise<Found>; atMilliseconds: number } | undefined;
  const current = async (): Promise<Found> => {
    if (kept === undefined || now() - kept.atMilliseconds > freshMilliseconds) {
      const before = kept;
      kept = { found: find(findTarget, before?.found), atMilliseconds: now() };
      kept.found.catch(() => {
        kept = before;
      });
    }
    return await kept.found;
  };
  return {
    target: async () => (await current()).target,
    metrics: async () => (await current()).metrics,
    /** Closes the connections. */
    forget: async () => (await kept?.found.catch(() => undefined))?.target.clients.destroy(),
  };
}

/** The local stack never changes while it runs, and its metrics are read on from where they were. */
async function find(findTarget: FindTarget, before: Promise<Found> | undefined): Promise<Found> {
  const earlier = await before?.catch(() => undefined);
  if (earlier?.target.kind === "local") return earlier;
  const target = await findTarget(earlier?.target.clients);
  return { target, metrics: createMetrics(target) };
}
