import { type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import type { Target } from "../target/target.ts";
import { type Check, ok, problem, type Verdict, warning } from "./finding.ts";

/** The stack's alarms: that they exist, that somebody hears them, and which of them ring. */
export const alarmChecks: readonly Check[] = [
  {
    name: "alarms",
    run: async (target) => {
      const alarms = await alarmsOf(target);
      if (alarms.length === 0) return [noAlarms];
      return [...audibleVerdicts(alarms), ...alarms.filter(isRinging).map(ringing)];
    },
  },
];

/**
 * CloudFormation makes the name of an alarm from the stack's name, the alarm's place and a random part. Other parts have
 * no dash, so that alarms of a stack like "Paycast-Staging" are not taken for those of "Paycast".
 */
async function alarmsOf({ clients, name }: Target): Promise<readonly MetricAlarm[]> {
  const alarms: MetricAlarm[] = [];
  const query = { AlarmNamePrefix: `${name}-` };
  for await (const page of paginateDescribeAlarms({ client: clients.cloudWatch }, query)) {
    alarms.push(...(page.MetricAlarms ?? []));
  }
  return alarms.filter(({ AlarmName = "" }) => {
    return /^[A-Za-z0-9]+(-[A-Za-z0-9]+)?$/.test(AlarmName.slice(name.length + 1));
  });
}

const noAlarms = problem("The stack has no alarms.", "Deploy the stack again.");

function audibleVerdicts(alarms: readonly MetricAlarm[]): readonly Verdict[] {
  const silent = alarms.filter((alarm) => !isHeard(alarm)).length;
  if (silent === 0) return [ok(`${alarms.length} alarms, and each has a topic to notify`)];
  return [
    warning(
      `${silent} of ${alarms.length} alarms notify nobody.`,
      "Set alarms.email or alarms.topicArn in the config and deploy. If actions are disabled, enable them.",
    ),
  ];
}

function isHeard({ AlarmActions = [], ActionsEnabled = true }: MetricAlarm): boolean {
  return ActionsEnabled && AlarmActions.length > 0;
}

function isRinging({ StateValue }: MetricAlarm): boolean {
  return StateValue === "ALARM";
}

/** Each alarm's description says what it means and what to do. */
function ringing({ AlarmName, AlarmDescription }: MetricAlarm): Verdict {
  return problem(`${AlarmName} is in alarm.`, AlarmDescription ?? "See docs/runbook.md.");
}
