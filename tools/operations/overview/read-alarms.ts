import { readFile } from "node:fs/promises";
import { type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import * as z from "zod";
import { stackOption } from "../target/stack-option.ts";
import { keptFor, type Target } from "../target/target.ts";
import { keepAMinute } from "../telemetry/metric.ts";

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

const kept = keptFor(() => keepAMinute<readonly RingingAlarm[]>(Date.now));

/** The active alarms, most severe first, then newest first. CloudWatch is called once a minute. */
export async function readAlarms(target: Target): Promise<readonly RingingAlarm[]> {
  const { alarmsFile } = target;
  const ringing =
    alarmsFile === undefined
      ? await kept(target)("", () => askCloudWatch(target))
      : await readLocalAlarms(alarmsFile, target);
  return ringing.toSorted(bySeverityAndTime);
}

const localSchema = z.array(
  z.object({ name: z.string(), description: z.string(), since: z.string() }),
);

/** The local stack evaluates the alarms of the template itself. */
async function readLocalAlarms(file: string, target: Target): Promise<readonly RingingAlarm[]> {
  const text = await readFile(file, "utf8");
  return localSchema.parse(JSON.parse(text)).map(({ name, since, description }) => ({
    name,
    since,
    ...readDescription(description, target),
  }));
}

async function askCloudWatch(target: Target): Promise<readonly RingingAlarm[]> {
  return (await stackAlarms(target, { StateValue: "ALARM" })).map((alarm) =>
    toRinging(alarm, target),
  );
}

/** All alarms of a deployed stack, or those in a state. */
export async function stackAlarms(
  { clients, name }: Target,
  state: { readonly StateValue?: "ALARM" } = {},
): Promise<readonly MetricAlarm[]> {
  const alarms: MetricAlarm[] = [];
  const query = { AlarmNamePrefix: `${name}-`, ...state };
  for await (const page of paginateDescribeAlarms({ client: clients.cloudWatch }, query)) {
    alarms.push(...(page.MetricAlarms ?? []));
  }
  return alarms.filter((alarm) => isOfStack(alarm, name));
}

/**
 * CloudFormation builds the name of an alarm from the stack's name, the alarm's place and a random part. Other parts
 * have no dash, so that alarms of a stack like "Paycast-Staging" are not taken for those of "Paycast".
 */
function isOfStack({ AlarmName = "" }: MetricAlarm, stack: string): boolean {
  return /^[A-Za-z0-9]+(-[A-Za-z0-9]+)?$/.test(AlarmName.slice(stack.length + 1));
}

/** The end of each description, as infra/alarms writes it. The address of the dashboard may follow. */
const ending =
  /( Begin with: (?<command>npx paycast [^.]+)\.)? Severity: (?<severity>\w+)\. Runbook: (?<runbook>\S+#(?<section>[\w-]+))( Dashboard: \S+)?$/;

function toRinging(alarm: MetricAlarm, target: Target): RingingAlarm {
  const { AlarmName: name = "", AlarmDescription: description = "" } = alarm;
  const since = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp;
  return { name, since: since?.toISOString(), ...readDescription(description, target) };
}

function readDescription(
  description: string,
  target: Target,
): Omit<RingingAlarm, "name" | "since"> {
  const { command, severity, section, runbook } = ending.exec(description)?.groups ?? {};
  return {
    severity,
    section,
    runbook,
    command: command && `${command}${stackOption(target)}`,
    text: description.replace(ending, ""),
  };
}

function bySeverityAndTime(left: RingingAlarm, right: RingingAlarm): number {
  const rank = ({ severity }: RingingAlarm) => (severity === "morning" ? 1 : 0);
  return rank(left) - rank(right) || (right.since ?? "").localeCompare(left.since ?? "");
}
