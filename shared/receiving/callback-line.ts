import { idForLog } from "../envelope/deduplication.ts";
import { NotDecrypted } from "../envelope/not-decrypted.ts";
import type { OpenedCallback } from "../envelope/open-callback.ts";
import { Refusal, type RefusalClass } from "../envelope/refusal.ts";
import type { RefusalReason } from "../errors/error-codes.ts";
import type { Failure } from "../errors/failures.ts";
import { isKeyCode } from "../errors/key-codes.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { isEventType } from "../facts/event-types.ts";
import type { Subject } from "../facts/subject.ts";
import { smokeName } from "../smoke-merchant.ts";
import { errorFields, type LogFields, type Metrics } from "../telemetry/log-line.ts";
import { outdatedKeysMilliseconds } from "../timing.ts";

type Line = [fields: LogFields, metrics: Metrics];

/**
 * The callback and the order that a line is about. Only event names of the interface are logged: any other may be any
 * text.
 */
export function identify(
  { merchantId, id, eventName }: Pick<OpenedCallback, "merchantId" | "id" | "eventName">,
  subject: Subject | undefined,
): Partial<LogFields> {
  return {
    merchantId,
    callbackId: idForLog(id),
    ...(isEventType(eventName) && { eventName }),
    ...(subject?.kind === "order" && { orderNo: subject.orderNo }),
    ...(subject?.kind === "payment" && { paymentId: subject.paymentId }),
  };
}

export function describeAcceptance(
  { merchantId, verifiedBy }: OpenedCallback,
  about: Partial<LogFields>,
  traceparent: string,
  startedAtMilliseconds: number,
  nowMilliseconds: number,
): Line {
  const fields: LogFields = {
    ...about,
    outcome: "accepted",
    httpStatus: 200,
    keyVersion: verifiedBy.versionId,
    keyStage: verifiedBy.stage,
    traceparent,
    durationMilliseconds: nowMilliseconds - startedAtMilliseconds,
  };
  // If a smoke test were counted, the alarms would take it for a callback of the payment service.
  if (merchantId === smokeName) return [fields, {}];
  return [fields, { Accepted: 1, ...countKeys(verifiedBy, nowMilliseconds) }];
}

/**
 * The alarm on outdated keys reads two metrics, and AWS does not document what an expression over a metric without data
 * evaluates to. So each count of outdated keys is written with a 0 for the other metric. No other zeros are written: a
 * metric costs money in every hour in which it has data.
 */
function countKeys(
  { stage, replacedAtMilliseconds = Infinity }: OpenedCallback["verifiedBy"],
  nowMilliseconds: number,
): Metrics {
  if (stage === "current") return { VerifiedByCurrent: 1 };
  const isOutdated = nowMilliseconds - replacedAtMilliseconds > outdatedKeysMilliseconds;
  return isOutdated ? { OutdatedKeys: 1, VerifiedByCurrent: 0 } : {};
}

export function describeRefusal(
  error: unknown,
  about: Partial<LogFields>,
  httpStatus: number,
  durationMilliseconds: number,
): Line {
  const common = { ...about, httpStatus, durationMilliseconds };
  if (error instanceof Refusal) {
    const { refusalClass, reason, detail } = error;
    const stage = refusalClass === "not-authentic" ? "authentication" : "request";
    const fields: LogFields = { ...common, outcome: refusalClass, stage, reason, detail };
    const probe = probeOf(reason, about);
    if (probe !== undefined) return [fields, { [probe]: 1 }];
    const counted = { [metricOf(refusalClass)]: 1, [metricOf(reason)]: 1 };
    return [fields, { ...counted, ...noneAccepted }];
  }
  const failure = failureOf(error);
  const outcome = "not-stored";
  const fields: LogFields = { ...common, outcome, ...failure, ...errorFields(error) };
  // Not counted as `NotStored`, which stops a rollout: the cause is a key and not the version of the function. One is
  // enough to page a person, who finds it by its event and id.
  if (error instanceof NotDecrypted) {
    return [{ ...fields, ...identify(error.callback, undefined) }, { NotDecrypted: 1 }];
  }
  const isKeys = failure.stage === "keys";
  return [fields, { NotStored: 1, ...noneAccepted, ...(isKeys && { KeysUnavailable: 1 }) }];
}

/** The few failures of this function. The table of all (errors/failures.ts) would slow down its cold start. */
function failureOf(error: unknown): Failure {
  const reason = error instanceof PaycastError ? error.code : "unexpected-error";
  if (isKeyCode(reason)) return { stage: "keys", reason };
  if (reason === "inbox-unavailable") return { stage: "inbox", reason };
  return { stage: "function", reason: "unexpected-error" };
}

/**
 * `check` sends an empty request, and a smoke test posts its callback until the function knows its new keys. Both are
 * rejected on purpose, so they have metrics of their own and do not count as rejected callbacks.
 */
function probeOf(reason: RefusalReason, { merchantId }: Partial<LogFields>): string | undefined {
  if (reason === "empty-body") return "EmptyBody";
  return merchantId === smokeName ? "SmokeRefused" : undefined;
}

/** The alarms compare the count of refusals with `Accepted`, which may have no data yet. */
const noneAccepted = { Accepted: 0 };

/** "wrong-signature" is counted as WrongSignature, in addition to its class. */
export function metricOf(reason: RefusalReason | RefusalClass): string {
  return reason.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
