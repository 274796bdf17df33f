import { fewestRefusals, quietShopMinutes } from "../../../shared/receiving/refusal-alarm.ts";
import {
  type Counted,
  minuteMilliseconds,
  type Range,
  type ReadMetrics,
  ranges,
} from "../ports/metrics.ts";

/** What receive-callback counted for one merchant. */
export interface IntakeCounts {
  readonly refused: Counted;
  readonly accepted: Counted;
}

/** What the counts show about callbacks that were not authentic. */
export interface Refusals {
  /**
   * `all`: none was accepted after them. `some`: others were accepted after them. `unclear`: they are too few, or all in
   * the minute of the last accepted one.
   */
  readonly kind: "all" | "some" | "unclear";
  readonly count: number;
  readonly accepted: number;
  /** When the minutes of the first and the last refusal began. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** When the minute of the last accepted one ended; undefined if there was none. */
  readonly acceptedUntil: number | undefined;
}

/** A shop with few orders has hours between two callbacks. */
const quietRange: Range = { steps: quietShopMinutes / 5, stepMinutes: 5 };

/**
 * The rejections of the last hour, or of the last six hours of a quiet shop; undefined if there are none. Few in an
 * hour can be part of many: the retries of a callback can be an hour apart.
 */
export async function readRefusals(
  metrics: ReadMetrics,
  merchantId: string,
): Promise<Refusals | undefined> {
  const ofHour = judgeRefusals(await readIntake(metrics, merchantId, ranges["1h"]));
  if (ofHour !== undefined && ofHour.kind !== "unclear") return ofHour;
  const ofQuietShop = judgeRefusals(await readIntake(metrics, merchantId, quietRange));
  return ofHour === undefined || ofQuietShop?.kind === "all" ? ofQuietShop : ofHour;
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

/** Within one step of the counts the order is not known. */
export function judgeRefusals({ refused, accepted }: IntakeCounts): Refusals | undefined {
  if (refused.total === 0) return undefined;
  const lastAccepted = accepted.perStep.findLastIndex(isSome);
  const first = refused.perStep.findIndex(isSome);
  const since = refused.perStep.slice(lastAccepted + 1).reduce((sum, count) => sum + count, 0);
  const isAll = since >= fewestRefusals;
  const isUnclear = since > 0 || first >= lastAccepted;
  return {
    kind: isAll ? "all" : isUnclear ? "unclear" : "some",
    count: isAll ? since : refused.total,
    accepted: accepted.total,
    firstAt: startOf(refused, first),
    lastAt: startOf(refused, refused.perStep.findLastIndex(isSome)),
    acceptedUntil: lastAccepted < 0 ? undefined : startOf(accepted, lastAccepted + 1),
  };
}

function isSome(count: number): boolean {
  return count > 0;
}

function startOf({ since, stepMinutes }: Counted, step: number): number {
  return since + step * stepMinutes * minuteMilliseconds;
}
