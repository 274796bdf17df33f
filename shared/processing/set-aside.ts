import { isFaultOfAws } from "../aws-fault.ts";
import { PaycastError } from "../paycast-error.ts";
import type { Receipt } from "../records/receipt.ts";
import { errorFields, type LogFields, type WriteLine } from "../telemetry/log-line.ts";
import { failurePatienceMilliseconds, failureTrialMilliseconds } from "../timing.ts";
import type { FailingSince } from "./failing-since.ts";
import type { ProcessResult, QueuedMessage } from "./process-batch.ts";
import { countGivenBack, identify } from "./processing-line.ts";
import type { SendToDeadLetters } from "./send-to-dead-letters.ts";

export interface SetAside {
  readonly recordQuarantine: (receipt: Receipt, why: PaycastError) => Promise<void>;
  readonly sendToDeadLetters: SendToDeadLetters;
  readonly failingSince: FailingSince;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** A message, and what it holds as far as it could be read. */
interface Failed {
  readonly queued: QueuedMessage;
  readonly receipt: Receipt | undefined;
}

/** An error that no retry fixes is quarantined for a person; any other returns the message to the inbox. */
export async function setAside(
  failed: Failed,
  error: unknown,
  deps: SetAside,
): Promise<ProcessResult> {
  const { queued, receipt } = failed;
  const why = reasonToGiveUp(failed, error, deps);
  if (why === undefined) return giveBack(failed, errorFields(error), deps);
  try {
    if (!(await keepRecord(failed, why, deps))) await deps.sendToDeadLetters(queued, why);
  } catch (failure) {
    return giveBack(failed, errorFields(failure), deps);
  }
  const { code: reason, message: detail } = why;
  const fields: LogFields = { outcome: "quarantined", reason, detail, messageId: queued.messageId };
  deps.log({ ...fields, ...identify(receipt?.message) }, { Quarantined: 1 });
  return "done";
}

/**
 * An error of AWS is never a reason: the message is tried until it passes. An error of our own code is a reason when the
 * message is six hours old, because its group waits. The age counts from the receipt: the group must not wait six hours
 * for each redrive that comes before the fix. This instance must also have seen the message itself fail for some time.
 */
function reasonToGiveUp(
  { queued: { messageId, sentAtMilliseconds }, receipt }: Failed,
  error: unknown,
  { failingSince, now }: SetAside,
): PaycastError | undefined {
  if (isFaultOfAws(error)) return undefined;
  if (error instanceof PaycastError) return error;
  const failedFor = now() - failingSince(messageId, now());
  const age = now() - (receipt?.message.receivedAtMilliseconds ?? sentAtMilliseconds);
  if (age < failurePatienceMilliseconds || failedFor < failureTrialMilliseconds) return undefined;
  const { errorName } = errorFields(error);
  return new PaycastError("processing-failed", `Processing fails with ${errorName}.`, {
    cause: error,
  });
}

/** False if there can be no record of it: it cannot be read, or it is too large. Then only a dead letter is left. */
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

/** Something other than our functions sent it. Nothing of it is applied, and a redrive leaves it out. */
export async function refuseMessage(
  queued: QueuedMessage,
  why: PaycastError,
  deps: SetAside,
): Promise<ProcessResult> {
  await deps.sendToDeadLetters(queued, why);
  const { code: reason, message: detail } = why;
  const { messageId } = queued;
  const fields: LogFields = { outcome: "stamp-refused", reason, detail, messageId };
  // One alarm watches both, so whoever writes one of them writes the other one, too.
  deps.log(fields, { StampRefused: 1, WaitingSeconds: 0 });
  return "done";
}

function giveBack(
  { queued, receipt }: Failed,
  why: Partial<LogFields>,
  deps: SetAside,
): ProcessResult {
  const { messageId } = queued;
  const fields: LogFields = { outcome: "failed", messageId, ...identify(receipt?.message), ...why };
  deps.log(fields, { Failed: 1, ...countGivenBack(queued, deps.now()) });
  return {};
}
