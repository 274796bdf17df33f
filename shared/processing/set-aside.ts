import { mayPass } from "../errors/aws-fault.ts";
import { failureOf } from "../errors/failures.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { Receipt } from "../records/receipt.ts";
import { failureFields } from "../telemetry/failure-fields.ts";
import { errorFields, type LogFields, type WriteLine } from "../telemetry/log-line.ts";
import { failurePatienceMilliseconds, failureTrialMilliseconds } from "../timing.ts";
import type { FailingSince } from "./failing-since.ts";
import type { ProcessResult, QueuedMessage } from "./process-batch.ts";
import { countReturned, identify } from "./processing-line.ts";
import type { SendToDeadLetters } from "./send-to-dead-letters.ts";

export interface SetAside {
  readonly recordQuarantine: (receipt: Receipt, why: PaycastError) => Promise<void>;
  readonly sendToDeadLetters: SendToDeadLetters;
  readonly failingSince: FailingSince;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** A message that failed, and its content if it could be read. */
interface Failed {
  readonly queued: QueuedMessage;
  readonly receipt: Receipt | undefined;
}

/** Quarantines the message if no retry can fix the error. Otherwise returns it to the inbox. */
export async function setAside(
  failed: Failed,
  error: unknown,
  deps: SetAside,
): Promise<ProcessResult> {
  const { queued, receipt } = failed;
  const why = reasonToGiveUp(failed, error, deps);
  if (why === undefined) return returnToInbox(failed, failureFields(error), deps);
  try {
    if (!(await keepRecord(failed, why, deps))) await deps.sendToDeadLetters(queued, why);
  } catch (failure) {
    return returnToInbox(failed, failureFields(failure), deps);
  }
  const { messageId } = queued;
  const failure = { ...failureOf(why), detail: why.message };
  const fields: LogFields = { outcome: "quarantined", ...failure, messageId };
  deps.log({ ...fields, ...identify(receipt?.message) }, { Quarantined: 1 });
  return "done";
}

/**
 * Why the message is quarantined; undefined if it is retried. An error of AWS is always retried. An error of our own
 * code is a reason once the message is six hours old, because its group waits. The age counts from the receipt, so that
 * the group does not wait six hours again for each redrive. This instance must also have seen the message itself fail
 * for some time.
 */
function reasonToGiveUp(
  { queued: { messageId, sentAtMilliseconds }, receipt }: Failed,
  error: unknown,
  { failingSince, now }: SetAside,
): PaycastError | undefined {
  if (mayPass(error)) return undefined;
  if (error instanceof PaycastError) return error;
  const failedFor = now() - failingSince(messageId, now());
  const age = now() - (receipt?.message.receivedAtMilliseconds ?? sentAtMilliseconds);
  if (age < failurePatienceMilliseconds || failedFor < failureTrialMilliseconds) return undefined;
  const { errorName } = errorFields(error);
  return new PaycastError("processing-failed", `Processing fails with ${errorName}.`, {
    cause: error,
  });
}

/**
 * Returns false if no record is possible: the message cannot be read, its record would be too large, or our own code
 * still fails to write it after six hours. The message then goes to the dead-letter queue.
 */
async function keepRecord(failed: Failed, why: PaycastError, deps: SetAside): Promise<boolean> {
  const { receipt } = failed;
  if (receipt === undefined) return false;
  try {
    await deps.recordQuarantine(receipt, why);
    return true;
  } catch (error) {
    if (reasonToGiveUp(failed, error, deps) === undefined) throw error;
    return false;
  }
}

/**
 * Handles a message that none of the stack's functions sent. It is never applied, and a redrive of dead-letter messages
 * skips it.
 */
export async function rejectMessage(
  queued: QueuedMessage,
  why: PaycastError,
  deps: SetAside,
): Promise<ProcessResult> {
  await deps.sendToDeadLetters(queued, why);
  const { messageId } = queued;
  const failure = { ...failureOf(why), detail: why.message };
  const fields: LogFields = { outcome: "stamp-refused", ...failure, messageId };
  // One alarm reads both metrics, so a line that writes one writes the other too.
  deps.log(fields, { StampRefused: 1, WaitingSeconds: 0 });
  return "done";
}

function returnToInbox(
  { queued, receipt }: Failed,
  why: Partial<LogFields>,
  deps: SetAside,
): ProcessResult {
  const { messageId } = queued;
  const fields: LogFields = { outcome: "failed", messageId, ...identify(receipt?.message), ...why };
  deps.log(fields, { Failed: 1, ...countReturned(queued, deps.now()) });
  return {};
}
