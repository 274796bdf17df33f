import { type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import { keptFor, type Target } from "../target/target.ts";
import { keepAMinute } from "../telemetry/metric.ts";

/** An alarm of the stack that rings now. */
export interface RingingAlarm {
  readonly name: string;
  /** RFC 3339; undefined if CloudWatch does not say it. */
  readonly since: string | undefined;
  /** "wake" or "morning". Undefined if the description does not say it. */
  readonly severity: string | undefined;
  /** The section of docs/runbook.md. */
  readonly section: string | undefined;
  /** What it means and what to do. */
  readonly text: string;
}

const kept = keptFor(() => keepAMinute<readonly RingingAlarm[]>(Date.now));

/** The alarms of a deployed stack that ring, most severe first, then newest first. Asks once a minute. */
export async function readAlarms(target: Target): Promise<readonly RingingAlarm[]> {
  return await kept(target)("", () => askForAlarms(target));
}

async function askForAlarms({ clients, name }: Target): Promise<readonly RingingAlarm[]> {
  const ringing: RingingAlarm[] = [];
  const query = { AlarmNamePrefix: `${name}-`, StateValue: "ALARM" } as const;
  for await (const page of paginateDescribeAlarms({ client: clients.cloudWatch }, query)) {
    const own = (page.MetricAlarms ?? []).filter((alarm) => isOfStack(alarm, name));
    ringing.push(...own.map(toRinging));
  }
  return ringing.sort(bySeverityAndTime);
}

/**
 * CloudFormation makes the name of an alarm from the stack's name, the alarm's place and a random part. Other parts have
 * no dash, so that alarms of a stack like "Paycast-Staging" are not taken for those of "Paycast".
 */
function isOfStack({ AlarmName = "" }: MetricAlarm, stack: string): boolean {
  return /^[A-Za-z0-9]+(-[A-Za-z0-9]+)?$/.test(AlarmName.slice(stack.length + 1));
}

/** The end of each description, as infra/alarms writes it. The address of the dashboard may follow. */
const ending =
  / Severity: (?<severity>\w+)\. Runbook: docs\/runbook\.md#(?<section>[\w-]+)( Dashboard: \S+)?$/;

function toRinging(alarm: MetricAlarm): RingingAlarm {
  const { AlarmName: name = "", AlarmDescription: description = "" } = alarm;
  const { severity, section } = ending.exec(description)?.groups ?? {};
  const since = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp;
  const text = description.replace(ending, "");
  return { name, since: since?.toISOString(), severity, section, text };
}

function bySeverityAndTime(one: RingingAlarm, other: RingingAlarm): number {
  const rank = ({ severity }: RingingAlarm) => (severity === "morning" ? 1 : 0);
  return rank(one) - rank(other) || (other.since ?? "").localeCompare(one.since ?? "");
}
