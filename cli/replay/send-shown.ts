import { join } from "node:path";
import type { Run } from "../../operations/replay/run.ts";
import { type SentRun, sendRun } from "../../operations/replay/send-run.ts";
import { explainAwsError } from "../../operations/target/explain-aws-error.ts";
import type { Target } from "../../operations/target/target.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { TargetValues } from "../frame/choose-stack.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { createProgress } from "../frame/progress.ts";
import { dataDirectory, print } from "../frame/target-command.ts";
import { doneText, progressText, resumeText, startText } from "./replay-text.ts";

export interface SendValues extends TargetValues {
  readonly rate?: string | undefined;
}

/** Batches are sent one after the other, so the time of a call limits the rate anyway. */
const mostRate = 500;

/** Throws `UsageError`. */
export function rateOf({ rate }: SendValues): number | undefined {
  if (rate === undefined) return undefined;
  const isWhole = /^\d{1,4}$/.test(rate);
  if (isWhole && Number(rate) >= 1 && Number(rate) <= mostRate) return Number(rate);
  throw new UsageError(`--rate needs a whole number from 1 to ${mostRate}.`);
}

/** In the folder where the command runs. */
export function runsDirectory(): string {
  return join(dataDirectory(), "replays");
}

/** Sends the rest of a run and shows how it goes. */
export async function sendShown(
  target: Target,
  started: Run,
  values: SendValues,
  terminal: Terminal,
): Promise<ExitCode> {
  terminal.err(`${startText(started)}If it is interrupted: ${resumeText(started)}\n`);
  const progress = createProgress(terminal);
  const sent = await sendRun(target, started.run, {
    directory: runsDirectory(),
    stopped: terminal.stopped,
    onProgress: (at) => progress.tell(progressText(at)),
    eventsPerSecond: started.eventsPerSecond,
  }).finally(progress.end);
  return report(sent, values, terminal);
}

function report(sent: SentRun, values: SendValues, terminal: Terminal): ExitCode {
  if (sent.kind === "failed") throw failureOf(sent.run, sent.error);
  const isFinal = sent.kind === "finished";
  const goOn = isFinal ? "" : `Stopped. To go on: ${resumeText(sent.run)}\n`;
  const result = { ...sent.run, outcome: sent.kind, changed: sent.run.counts.sent > 0 };
  print(terminal, values, result, () => `${doneText(sent.run)}${goOn}`);
  return isFinal && sent.run.counts.sent > 0 ? exitCodes.success : exitCodes.negative;
}

/** A bug stays one, but the user still learns how to go on. */
function failureOf(at: Run, error: unknown): unknown {
  const explained = error instanceof PaycastError ? error : explainAwsError(error);
  if (explained === undefined) return error;
  const how = `${doneText(at).trimEnd()} To go on: ${resumeText(at)}`;
  return new PaycastError(explained.code, `${explained.message}\n${how}`, { cause: error });
}
