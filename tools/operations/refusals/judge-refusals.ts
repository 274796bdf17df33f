import { fewestRefusals, quietShopMinutes } from "../../../shared/receiving/refusal-alarm.ts";
import type { ReadMetrics } from "../telemetry/metric.ts";
import { type Counted, minuteMilliseconds, type Range, ranges } from "../telemetry/metric.ts";

/** What receive-callback counted for one merchant. */
export interface IntakeCounts {
  readonly refused: Counted;
  readonly accepted: Counted;
}

/** What the counts show about callbacks that were not authentic. */
export type Refusals =
  /** None was accepted after them: the keys are wrong, or only strangers call. */
  | { readonly kind: "all"; readonly count: number; readonly acceptedUntil: number | undefined }
  /** Others were accepted later: the keys are right, and these were forged or foreign. */
  | {
      readonly kind: "some";
      readonly count: number;
      readonly accepted: number;
      readonly acceptedUntil: number | undefined;
    }
  /** Too few, or all in the minute of the last accepted one. */
  | { readonly kind: "unclear"; readonly count: number };

/** A shop with few orders has hours between two callbacks. */
const quietRange: Range = { steps: quietShopMinutes / 5, stepMinutes: 5 };

/** The refusals of the last hour, or of the six hours of a quiet shop; undefined if there are none. */
export async function readRefusals(
  metrics: ReadMetrics,
  merchantId: string,
): Promise<Refusals | undefined> {
  return (
    judgeRefusals(await readIntake(metrics, merchantId, ranges["1h"])) ??
    judgeRefusals(await readIntake(metrics, merchantId, quietRange))
  );
}

async function readIntake(
  metrics: ReadMetrics,
  merchantId: string,
  range: Range,
): Promise<IntakeCounts> {
  const of = (name: string) => ({ service: "receive-callback", name, merchantId });
  const [refused, accepted] = [of("NotAuthentic"), of("Accepted")];
  const count = await metrics([refused, accepted], range);
  return { refused: count(refused), accepted: count(accepted) };
}

/**
 * Callbacks that are accepted after a refused one show that the keys are right. Within one step of the counts nobody knows
 * which came first.
 */
export function judgeRefusals({ refused, accepted }: IntakeCounts): Refusals | undefined {
  if (refused.total === 0) return undefined;
  const last = accepted.perStep.findLastIndex((count) => count > 0);
  const first = refused.perStep.findIndex((count) => count > 0);
  const acceptedUntil = timeAfter(accepted, last);
  const since = refused.perStep.slice(last + 1).reduce((sum, count) => sum + count, 0);
  if (since >= fewestRefusals) {
    return { kind: "all", count: since, acceptedUntil };
  }
  if (since > 0 || first >= last) return { kind: "unclear", count: refused.total };
  return { kind: "some", count: refused.total, accepted: accepted.total, acceptedUntil };
}

/** When the step ended; undefined if there is none. */
function timeAfter({ since, stepMinutes }: Counted, step: number): number | undefined {
  if (step < 0) return undefined;
  return since + (step + 1) * stepMinutes * minuteMilliseconds;
}
