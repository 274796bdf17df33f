import type { OpenedCallback } from "../envelope/open-callback.ts";
import { Refusal, type RefusalClass, type RefusalReason } from "../envelope/refusal.ts";
import { PaycastError } from "../paycast-error.ts";
import { errorFields, type LogFields, type Metrics } from "./log-line.ts";

const refusalMetrics: Record<RefusalClass, string> = {
  "not-an-envelope": "NotAnEnvelope",
  "not-authentic": "NotAuthentic",
  "too-large": "TooLarge",
};

type Line = [fields: LogFields, metrics: Metrics];

export function describeAcceptance(
  callback: OpenedCallback,
  traceparent: string,
  durationMilliseconds: number,
): Line {
  const { merchantId, id, eventName, verifiedBy } = callback;
  const fields = {
    outcome: "accepted",
    merchantId,
    callbackId: id,
    eventName,
    keyVersion: verifiedBy.versionId,
    keyStage: verifiedBy.stage,
    traceparent,
    durationMilliseconds,
  };
  return [fields, { Accepted: 1, VerifiedByPrevious: verifiedBy.stage === "previous" ? 1 : 0 }];
}

/** `merchantId` is that of a configured merchant; what a stranger calls himself is not repeated. */
export function describeRefusal(
  error: unknown,
  merchantId: string | undefined,
  httpStatus: number,
  durationMilliseconds: number,
): Line {
  const common = { merchantId, httpStatus, durationMilliseconds };
  if (error instanceof Refusal) {
    const { refusalClass, reason, detail } = error;
    const metrics = { [refusalMetrics[refusalClass]]: 1, [metricOf(reason)]: 1 };
    return [{ outcome: refusalClass, reason, detail, ...common }, metrics];
  }
  const isKeys = error instanceof PaycastError && /^(keys|profile)-/.test(error.code);
  const fields = { outcome: "not-stored", ...errorFields(error), ...common };
  return [fields, { NotStored: 1, ...(isKeys && { KeysUnavailable: 1 }) }];
}

/** "wrong-signature" is counted as WrongSignature, beside its class. */
function metricOf(reason: RefusalReason): string {
  return reason.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
