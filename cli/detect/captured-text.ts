import { printable } from "../../shared/terminal-text.ts";
import { columns } from "../frame/columns.ts";
import { reportText } from "./report-text.ts";
import type { CapturedGroup } from "./try-captured.ts";

/** What `--json` prints. */
export interface CapturedReport {
  readonly found: boolean;
  /** How many captured envelopes name the wanted merchants. */
  readonly captured: number;
  readonly others: number;
  readonly unreadable: number;
  /** False if the queue has more envelopes, or the command was stopped. */
  readonly isWhole: boolean;
  readonly groups: readonly CapturedGroup[];
}

export function capturedText(report: CapturedReport): string {
  const { captured, groups } = report;
  if (captured === 0) return `${nothingText}${leftOut(report)}`;
  return [
    columns(
      ["merchant", "refused for", "captured", "tried", "newest", "result"],
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
  "No refused callback was captured yet. The service sends a refused callback again, after minutes at first and hours later: try again then.\n";

const storedText =
  "The callback keys have this profile already. The callback was refused before that, or for its age.\n";

function resultOf({ report }: CapturedGroup): string {
  if (report === undefined) return "no envelope";
  return report.found ? "a profile fits" : "no profile fits";
}

function groupText({ merchantId, reason, receivedAt, report, isStored }: CapturedGroup): string {
  if (report === undefined || receivedAt === undefined) return "";
  const stored = isStored ? storedText : "";
  const title = `The callback for ${printable(merchantId)} of ${receivedAt}, refused for ${printable(reason)}`;
  return `\n${title}:\n\n${stored}${reportText(report)}`;
}

function leftOut({ others, unreadable, isWhole }: CapturedReport): string {
  return [
    ...(others > 0 ? [`${others} captured for other merchants were left out.\n`] : []),
    ...(unreadable > 0 ? [`${unreadable} messages of the queue could not be read.\n`] : []),
    ...(isWhole
      ? []
      : [
          "Not all were looked at: there are more, or the command was stopped. All are still in the queue.\n",
        ]),
  ].join("");
}
