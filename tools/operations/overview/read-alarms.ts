import type { StackAlarm } from "../ports/metrics.ts";
import type { Stack } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";

/** An active alarm of the stack. */
export interface RingingAlarm {
  readonly name: string;
  /** RFC 3339; undefined if CloudWatch does not say it. */
  readonly since: string | undefined;
  /** "wake" or "morning". Undefined if the description does not say it. */
  readonly severity: string | undefined;
  /** The section of the runbook. */
  readonly section: string | undefined;
  /** The file or the address of the runbook, with the section. */
  readonly runbook: string | undefined;
  /** The command to begin with, which names the stack. */
  readonly command: string | undefined;
  /** What it means and what to do. */
  readonly text: string;
}

/** The active alarms, most severe first, then newest first. */
export async function readAlarms(
  target: Pick<Target, "stack" | "metrics">,
): Promise<readonly RingingAlarm[]> {
  const ringing = await target.metrics.ringingAlarms();
  return ringing.map((alarm) => toRinging(alarm, target.stack)).toSorted(bySeverityAndTime);
}

/** The end of each description, as infra/alarms writes it. The address of the dashboard may follow. */
const ending =
  /( Begin with: (?<command>npx paycast [^.]+)\.)? Severity: (?<severity>\w+)\. Runbook: (?<runbook>\S+#(?<section>[\w-]+))( Dashboard: \S+)?$/;

function toRinging({ name, since, description }: StackAlarm, stack: Stack): RingingAlarm {
  const { command, severity, section, runbook } = ending.exec(description)?.groups ?? {};
  return {
    name,
    since,
    severity,
    section,
    runbook,
    command: command && `${command}${stackOption(stack)}`,
    text: description.replace(ending, ""),
  };
}

function bySeverityAndTime(left: RingingAlarm, right: RingingAlarm): number {
  const rank = ({ severity }: RingingAlarm) => (severity === "morning" ? 1 : 0);
  return rank(left) - rank(right) || (right.since ?? "").localeCompare(left.since ?? "");
}
