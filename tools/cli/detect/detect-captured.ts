import { changesFromDefault, profileSchema } from "../../../shared/envelope/profile.ts";
import { printable } from "../../../shared/text/terminal-text.ts";
import {
  type CallbackKeyTexts,
  type CapturedEnvelope,
  type CapturedEnvelopes,
  readCallbackKeyTexts,
  readCaptured,
} from "../../operations/captured/read-captured.ts";
import { findMerchant, type Target } from "../../operations/target/target.ts";
import { columns } from "../frame/columns.ts";
import { print, type TargetValues, type Terminal } from "../frame/command.ts";
import { type ExitCode, exitCodes } from "../frame/exit-codes.ts";
import { withTarget } from "../frame/target-command.ts";
import { createProgress } from "../frame/terminal.ts";
import { makeSearchKeys, readPublicKey, type SearchKeys } from "./keys.ts";
import { reportText } from "./report.ts";
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
  givenKeys: SearchKeys | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  return await withTarget(values, async (target) => {
    const { merchant } = values;
    if (merchant !== undefined) findMerchant(target, merchant);
    const captured = await readCaptured(target, terminal.stopped);
    const wanted = captured.envelopes.filter((envelope) => isWanted(target, envelope, merchant));
    const groups = await tryGroups(target, wanted, givenKeys, terminal);
    const report = reportOf(captured, wanted, groups, terminal);
    print(terminal, values, report, () => capturedText(report));
    return report.found ? exitCodes.success : exitCodes.negative;
  });
}

/** Anyone can name any merchant. Only those of the stack have keys. */
function isWanted(
  { merchants }: Target,
  envelope: CapturedEnvelope,
  merchant: string | undefined,
): boolean {
  if (merchant !== undefined) return envelope.merchantId === merchant;
  return merchants.some(({ merchantId }) => merchantId === envelope.merchantId);
}

async function tryGroups(
  target: Target,
  envelopes: readonly CapturedEnvelope[],
  givenKeys: SearchKeys | undefined,
  terminal: Terminal,
): Promise<CapturedGroup[]> {
  const progress = createProgress(terminal);
  const tried: CapturedGroup[] = [];
  for (const group of groupCaptured(envelopes)) {
    if (terminal.stopped.aborted) break;
    const { merchantId, reason } = group.newest;
    progress.tell(`Trying ${group.envelopes.length} envelopes rejected for ${printable(reason)}`);
    const stored = givenKeys ? undefined : await readCallbackKeyTexts(target, merchantId);
    const keys = stored
      ? makeSearchKeys(stored.aesKey, readPublicKey(stored.servicePublicKey))
      : givenKeys;
    if (keys === undefined) continue;
    const result = tryGroup(group, keys, terminal.stopped);
    tried.push({ ...result, isStored: hasProfile(stored, result) });
  }
  progress.end();
  return tried;
}

function hasProfile(stored: CallbackKeyTexts | undefined, { report }: CapturedGroup): boolean {
  if (stored === undefined || report?.found !== true) return false;
  const parsed = profileSchema.safeParse(stored.profile ?? {});
  const changes = parsed.success ? changesFromDefault(parsed.data) : undefined;
  return JSON.stringify(changes) === JSON.stringify(report.profile);
}

/** What `--json` prints. */
function reportOf(
  { envelopes, isWhole, ...captured }: CapturedEnvelopes,
  wanted: readonly CapturedEnvelope[],
  groups: readonly CapturedGroup[],
  { stopped }: Terminal,
) {
  return {
    found: groups.some(({ report }) => report?.found === true),
    captured: wanted.length,
    others: envelopes.length - wanted.length,
    ...captured,
    isWhole: isWhole && !stopped.aborted,
    groups,
  };
}

type CapturedReport = ReturnType<typeof reportOf>;

function capturedText(report: CapturedReport): string {
  const { captured, groups } = report;
  if (captured === 0) return `${nothingText}${leftOut(report)}`;
  return [
    columns(
      ["merchant", "rejected for", "captured", "tried", "newest", "result"],
      groups.map((group) => [
        group.merchantId,
        group.reason,
        String(group.count),
        String(group.tried),
        group.newestAt,
        resultOf(group),
      ]),
    ),
    leftOut(report),
    ...groups.map(groupText),
  ].join("");
}

const nothingText =
  "No rejected callback has been captured yet. The service retries a rejected callback, first after minutes and then after hours: try again then.\n";

const storedText =
  "The callback keys already have this profile. The callback was rejected before that, or because of its age.\n";

function resultOf({ report }: CapturedGroup): string {
  if (report === undefined) return "no envelope";
  return report.found ? "a profile fits" : "no profile fits";
}

function groupText({ merchantId, reason, receivedAt, report, isStored }: CapturedGroup): string {
  if (report === undefined || receivedAt === undefined) return "";
  const stored = isStored ? storedText : "";
  const title = `The callback for ${printable(merchantId)} of ${receivedAt}, rejected for ${printable(reason)}`;
  return `\n${title}:\n\n${stored}${reportText(report)}`;
}

function leftOut({ others, unreadable, isWhole, notReturned }: CapturedReport): string {
  const sentences = [
    others > 0 && `${others} captured for other merchants were skipped.`,
    unreadable > 0 && `${unreadable} messages of the queue could not be read.`,
    notReturned > 0 &&
      `${notReturned} could not be returned to the queue immediately; they are visible within two minutes.`,
    !isWhole &&
      "Not all were read: there are more, or the command was stopped. All are still in the queue.",
  ];
  return sentences.map((sentence) => (sentence ? `${sentence}\n` : "")).join("");
}
