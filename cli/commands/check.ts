import { checkDeployment } from "../../operations/check/check-deployment.ts";
import type { Finding, FindingStatus } from "../../operations/check/finding.ts";
import type { Colours } from "../../shared/terminal-text.ts";
import { columns } from "../frame/columns.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  exitCodesText,
  type Terminal,
} from "../frame/command.ts";
import { ownVersion } from "../frame/own-version.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { createProgress } from "../frame/progress.ts";
import { print, targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

/** `npx paycast check`: whether a deployment is sound. */
export const check: Command = { help: helpText(), run };

const limitMilliseconds = 30_000;

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const values = parseOptions(args, targetOptions);
  const progress = createProgress(terminal);
  const context = { now: Date.now, fetch, commandVersion: ownVersion(), limitMilliseconds };
  const findings = await withTarget(values, async (target) => {
    return await checkDeployment(target, context, (done, all) =>
      progress.tell(`Checking: ${done} of ${all}`),
    );
  }).finally(progress.end);
  print(terminal, values, findings, () => findingsText(findings, terminal.colours));
  return findings.some(({ status }) => status === "problem")
    ? exitCodes.negative
    : exitCodes.success;
}

function findingsText(findings: readonly Finding[], colours: Colours): string {
  const rows = findings.flatMap(({ check: name, status, message, action }) => [
    [painted(status, colours), name, message],
    ...(action === undefined ? [] : [["", "", `-> ${action}`]]),
  ]);
  return `${columns(["status", "check", "found"], rows)}\n${summaryOf(findings)}\n`;
}

function painted(status: FindingStatus, colours: Colours): string {
  switch (status) {
    case "ok":
      return colours.green(status);
    case "warning":
      return colours.yellow(status);
    case "problem":
      return colours.red(status);
  }
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (status: FindingStatus) => findings.filter((one) => one.status === status).length;
  return `Problems: ${count("problem")}. Warnings: ${count("warning")}. Ok: ${count("ok")}.`;
}

function helpText(): string {
  return `Usage: npx paycast check [--stack NAME] [--json]

Tells whether a deployment is sound: keys, queues and who may read them, dead letters, tables, functions,
alarms, the API, clocks and versions. Each line is ok, a warning or a problem with what to do.
It changes nothing. A check that may not look says which permission is missing, and the others go on.
On the local stack, what only AWS has (functions, alarms, policies, backups) is left out.

Options
${targetHelp}

With --json: a list of { check, status: "ok" | "warning" | "problem", message, action? }.

Examples
  npx paycast check
  npx paycast check --stack Paycast
  npx paycast check --stack Paycast --json | jq '.[] | select(.status != "ok")'

${exitCodesText}
            A problem is 1; warnings alone are 0.
`;
}
