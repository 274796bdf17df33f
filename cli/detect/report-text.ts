import { listNames } from "./explain-body.ts";
import type { FoundReport, NotFoundReport, Report } from "./report.ts";

/** The report as text for people. */
export function reportText(report: Report): string {
  const lines = report.found ? foundLines(report) : notFoundLines(report);
  return `${lines.join("\n")}\n`;
}

function foundLines(report: FoundReport): string[] {
  const { capture, bodyFields, undecided, warnings } = report;
  return [
    ...profileLines(report),
    "",
    `Verified: Paycast's own code opened the ${capture} with this profile. ${effortOf(report)}`,
    `Fields of the body: ${listNames(bodyFields)}.`,
    ...section("Take note:", warnings),
    ...section(
      `What one ${capture} cannot tell:`,
      undecided.map(({ sentence }) => sentence),
    ),
  ];
}

function profileLines({ isDefault, profile }: FoundReport): string[] {
  const opening = isDefault
    ? 'The default profile fits: leave the field "profile" out of both secrets, or set it to {}.'
    : 'A profile fits. Paste it as the field "profile" into both secrets of the merchant, callback keys and request keys:';
  return [opening, "", JSON.stringify(profile, null, 2)];
}

function notFoundLines(report: NotFoundReport): string[] {
  return [
    `No profile fits this ${report.capture}. ${effortOf(report)}`,
    "",
    "How far the best try got:",
    `- Body: ${report.body.sentence}`,
    `- Signature: ${report.signature.sentence}`,
    ...section("What to check next:", report.checks),
  ];
}

function effortOf({ combinations, seconds }: Report): string {
  return `Tried ${combinations.toLocaleString("en")} combinations, each accepted or excluded, in ${seconds.toFixed(2)} seconds.`;
}

function section(title: string, points: readonly string[]): string[] {
  return points.length === 0 ? [] : ["", title, ...points.map((point) => `- ${point}`)];
}
