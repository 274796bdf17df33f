import {
  type CloudWatchClient,
  type MetricAlarm,
  paginateDescribeAlarms,
} from "@aws-sdk/client-cloudwatch";
import type { StackAlarm } from "../ports/metrics.ts";

/** All alarms of a stack, or those in a state. */
export async function readAlarms(
  client: CloudWatchClient,
  stackName: string,
  state: { readonly StateValue?: "ALARM" } = {},
): Promise<readonly StackAlarm[]> {
  const alarms: MetricAlarm[] = [];
  const query = { AlarmNamePrefix: `${stackName}-`, ...state };
  for await (const page of paginateDescribeAlarms({ client }, query)) {
    alarms.push(...(page.MetricAlarms ?? []));
  }
  return alarms.filter((alarm) => isOfStack(alarm, stackName)).map(toStackAlarm);
}

/**
 * CloudFormation builds the name of an alarm from the stack's name, the alarm's place and a random part. Other parts
 * have no dash, so that alarms of a stack like "Paycast-Staging" are not taken for those of "Paycast".
 */
function isOfStack({ AlarmName = "" }: MetricAlarm, stack: string): boolean {
  return /^[A-Za-z0-9]+(-[A-Za-z0-9]+)?$/.test(AlarmName.slice(stack.length + 1));
}

function toStackAlarm(alarm: MetricAlarm): StackAlarm {
  const { AlarmName: name = "", AlarmDescription: description = "", StateValue } = alarm;
  const { ActionsEnabled = true, AlarmActions = [] } = alarm;
  const since = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp;
  return {
    name,
    description,
    isRinging: StateValue === "ALARM",
    since: since?.toISOString(),
    notifiesSomebody: ActionsEnabled && AlarmActions.length > 0,
  };
}
