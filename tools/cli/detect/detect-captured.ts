import { profileSchema } from "../../../shared/envelope/profile.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { printable } from "../../../shared/text/terminal-text.ts";
import {
  type CapturedEnvelope,
  type CapturedEnvelopes,
  readCallbackKeyTexts,
  readCaptured,
} from "../../operations/captured/read-captured.ts";
import { findMerchant } from "../../operations/ports/stack.ts";
import type { Target } from "../../operations/ports/target.ts";
import { stackOption } from "../../operations/stack-option.ts";
import { columns } from "../frame/columns.ts";
import { print, type TargetValues, type Terminal } from "../frame/command.ts";
import { type ExitCode, exitCodes } from "../frame/exit-codes.ts";
import { withTarget } from "../frame/target-command.ts";
import { createProgress } from "../frame/terminal.ts";
import type { Capture } from "./capture.ts";
import { makeSearchKeys, readPublicKey } from "./keys.ts";
import { detect, type Row, type Trial } from "./result-rows.ts";
import { type CapturedGroup, groupCaptured, tryGroup } from "./try-captured.ts";

export interface CapturedValues extends TargetValues {
  readonly merchant?: string | undefined;
}

/**
 * `detect-profile --captured`: tries the envelopes that the stack rejected and kept. Without given keys, it uses those
 * of the secret.
 */
export async function detectCaptured(
  values: CapturedValues,
  given: Trial | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  return await withTarget(values, async (target) => {
    const { merchant } = values;
    if (merchant !== undefined) findMerchant(target.stack, merchant);
    const captured = await readCaptured(target, terminal.stopped);
    const wanted = captured.envelopes.filter((envelope) => isWanted(target, envelope, merchant));
    const groups = await tryGroups(target, wanted, given, terminal);
    const report = reportOf(captured, wanted, groups, terminal);
    print(terminal, values, report, () => capturedText(report));
    return report.found ? exitCodes.success : exitCodes.negative;
  });
}

/** Anyone can name any merchant. Only those of the stack have keys. */
function isWanted(
  { stack: { merchants } }: Pick<Target, "stack">,
  envelope: CapturedEnvelope,
  merchant: string | undefined,
): boolean {
  if (merchant !== undefined) return envelope.merchantId === merchant;
  return merchants.some(({ merchantId }) => merchantId === envelope.merchantId);
}

async function tryGroups(
  target: Pick<Target, "stack" | "keys">,
  envelopes: readonly CapturedEnvelope[],
  given: Trial | undefined,
  terminal: Terminal,
): Promise<CapturedGroup[]> {
  const progress = createProgress(terminal);
  const groups: CapturedGroup[] = [];
  for (const group of groupCaptured(envelopes)) {
    if (terminal.stopped.aborted) break;
    const { merchantId, reason } = group.newest;
    progress.tell(`Trying ${group.envelopes.length} envelopes rejected for ${printable(reason)}`);
    const trial = given ?? (await storedTrial(target, merchantId));
    const options = `${trial.options}${stackOption(target.stack)}`;
    const search = (capture: Capture) => detect(capture, { ...trial, options });
    groups.push(tryGroup(group, search, terminal.stopped));
  }
  progress.end();
  return groups;
}

/** The keys of the secret. Only the profile beside them is replaced. */
async function storedTrial(
  target: Pick<Target, "stack" | "keys">,
  merchantId: string,
): Promise<Trial> {
  const { aesKey, servicePublicKey, profile = {} } = await readCallbackKeyTexts(target, merchantId);
  const keys = makeSearchKeys(aesKey, readPublicKey(servicePublicKey));
  return { keys, options: "--correct", stored: profileSchema.safeParse(profile).data };
}

/** A row about callbacks of one merchant that were rejected for one reason. */
interface CapturedRow extends Row {
  readonly merchantId: string;
  readonly rejectedFor: string;
  /** The newest of these callbacks. */
  readonly newestAt: string;
  readonly callbacks: number;
  readonly captured: number;
}

/** The rows about the callback that fits, or one for each reason. */
export function groupRows({ merchantId, reason, count, tried }: CapturedGroup): CapturedRow[] {
  const fitting = tried.filter(({ found }) => found);
  const shown = fitting.length > 0 ? fitting : tried;
  const rows = new Map<string, CapturedRow>();
  for (const { receivedAt, rows: found } of shown) {
    for (const row of found) {
      const { newestAt = "", callbacks = 0 } = rows.get(row.result) ?? {};
      rows.set(row.result, {
        merchantId,
        rejectedFor: reason,
        newestAt: newestAt > receivedAt ? newestAt : receivedAt,
        callbacks: callbacks + 1,
        captured: count,
        ...row,
      });
    }
  }
  return [...rows.values()];
}

/** What `--json` prints. */
function reportOf(
  { envelopes, isWhole, ...captured }: CapturedEnvelopes,
  wanted: readonly CapturedEnvelope[],
  groups: readonly CapturedGroup[],
  { stopped }: Terminal,
) {
  const tried = groups.flatMap((group) => group.tried);
  return {
    found: tried.some(({ found }) => found),
    rows: groups.flatMap(groupRows),
    captured: wanted.length,
    tried: tried.length,
    others: envelopes.length - wanted.length,
    ...captured,
    isWhole: isWhole && !stopped.aborted,
  };
}

type CapturedReport = ReturnType<typeof reportOf>;

function capturedText(report: CapturedReport): string {
  const { rows, captured, tried, others, unreadable, notReturned, isWhole } = report;
  const table = columns(
    ["merchant", "rejected for", "newest", "callbacks", "result", "what to do"],
    rows.map((row) => [
      row.merchantId,
      row.rejectedFor,
      wholeSeconds(row.newestAt),
      `${row.callbacks} of ${row.captured}`,
      row.result,
      row.action,
    ]),
  );
  const sentences = [
    captured === 0
      ? nothingYet
      : `${table}Tried ${tried} of ${captured}: of each merchant and reason the newest first, until one fits.`,
    others > 0 && `${others} captured for other merchants were skipped.`,
    unreadable > 0 && `${unreadable} messages of the queue could not be read.`,
    notReturned > 0 &&
      `${notReturned} could not be returned to the queue immediately; they are visible within two minutes.`,
    !isWhole &&
      "Not all were read: there are more, or the command was stopped. All are still in the queue.",
  ];
  return sentences.map((sentence) => (sentence ? `${sentence}\n` : "")).join("");
}

const nothingYet =
  "No rejected callback has been captured yet. The service retries a rejected callback, first after minutes and then after hours: try again then.";
