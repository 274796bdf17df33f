import type { OpenedCallback } from "../envelope/open-callback.ts";
import { Refusal, type RefusalClass } from "../envelope/refusal.ts";
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

export function describeRefusal(
  error: unknown,
  httpStatus: number,
  durationMilliseconds: number,
): Line {
  if (error instanceof Refusal) {
    const { refusalClass, reason, detail } = error;
    const fields = { outcome: refusalClass, reason, detail, httpStatus, durationMilliseconds };
    return [fields, { [refusalMetrics[refusalClass]]: 1 }];
  }
  const isKeys = error instanceof PaycastError && /^(keys|profile)-/.test(error.code);
  const fields = { outcome: "not-stored", ...errorFields(error), httpStatus, durationMilliseconds };
  return [fields, { NotStored: 1, ...(isKeys && { KeysUnavailable: 1 }) }];
}
