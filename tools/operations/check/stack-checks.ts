import { DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import { stackAlarms } from "../overview/read-alarms.ts";
import type { Target } from "../target/target.ts";
import {
  type Check,
  deployAgain,
  faultIf,
  faultsOr,
  ok,
  problem,
  type Verdict,
  warning,
} from "./finding.ts";

/** Whether the last deployment ended well. */
export const deploymentCheck: Check = {
  name: "deployment",
  run: async ({ clients, name }) => {
    const command = new DescribeStacksCommand({ StackName: name });
    const { Stacks: [stack] = [] } = await clients.cloudFormation.send(command);
    return [statusVerdict(stack?.StackStatus ?? "unknown")];
  },
};

function statusVerdict(status: string): Verdict {
  if (status === "CREATE_COMPLETE" || status === "UPDATE_COMPLETE") return ok(status);
  if (status.endsWith("_IN_PROGRESS")) {
    return warning(
      `A deployment is running: ${status}.`,
      "Wait until it has ended, then check again.",
    );
  }
  const events = "Read the stack's events in CloudFormation, and";
  if (status === "UPDATE_ROLLBACK_COMPLETE") {
    return warning("The last deployment failed and was rolled back.", `${events} deploy again.`);
  }
  const message = `CloudFormation reports ${status}: functions and resources may be of different versions.`;
  return problem(message, `${events} repair the stack.`);
}

/** Whether command and stack fit together. */
export const versionsCheck: Check = {
  name: "versions",
  run: async ({ version: stack }, { commandVersion: command }) => {
    if (stack === command) return [ok(`command and stack are ${command}`)];
    const versionText = stack ?? "an unknown version";
    const action = `Use the command of the deployed version, or deploy ${command}.`;
    return [warning(`The command is ${command}, the stack ${versionText}.`, action)];
  },
};

/** The stack's alarms: that they exist, notify someone, and which of them are active. */
export const alarmCheck: Check = {
  name: "alarms",
  run: async (target) => {
    const alarms = await stackAlarms(target);
    if (alarms.length === 0) return [problem("The stack has no alarms.", deployAgain)];
    const ringing = alarms.filter(({ StateValue }) => StateValue === "ALARM");
    return [audibleVerdict(alarms.filter(isForPeople)), ...ringing.map(ringingVerdict)];
  },
};

/** The alarms of a gradual rollout end a deployment, and notify nobody. */
function isForPeople({ AlarmDescription = "" }: MetricAlarm): boolean {
  return !AlarmDescription.includes("Notifies nobody.");
}

function audibleVerdict(alarms: readonly MetricAlarm[]): Verdict {
  const silent = alarms.filter(
    ({ AlarmActions = [], ActionsEnabled = true }) => !ActionsEnabled || AlarmActions.length === 0,
  );
  if (silent.length === 0) return ok(`${alarms.length} alarms, and each has a topic to notify`);
  return warning(
    `${silent.length} of ${alarms.length} alarms notify nobody.`,
    "Set alarms.email or alarms.topicArn in the config and deploy. If actions are disabled, enable them.",
  );
}

/** Each alarm's description says what it means and what to do. */
function ringingVerdict({ AlarmName, AlarmDescription }: MetricAlarm): Verdict {
  return problem(`${AlarmName} is in alarm.`, AlarmDescription ?? "See docs/runbook.md.");
}

/** Each function can run, with the code that was deployed last. */
export function functionChecks({ functions }: Target): readonly Check[] {
  return functions.map(({ label, name: FunctionName }) => ({
    name: `function ${label}`,
    run: async ({ clients }) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName });
      const configuration = await clients.lambda.send(command);
      const { Runtime = "an unknown runtime" } = configuration;
      return faultsOr(configurationFaults(configuration), `active on ${Runtime}`);
    },
  }));
}

const waitAMinute = "Wait a minute, then check again.";

function configurationFaults(configuration: FunctionConfiguration): readonly Verdict[] {
  const { State = "Active", StateReason, LastUpdateStatus, LastUpdateStatusReason } = configuration;
  const failed = `Its last update failed: ${LastUpdateStatusReason ?? "no reason"}.`;
  return [
    ...faultIf(State !== "Active", stateVerdict(State, StateReason)),
    ...faultIf(LastUpdateStatus === "Failed", problem(failed, deployAgain)),
    ...faultIf(LastUpdateStatus === "InProgress", warning("It is being updated.", waitAMinute)),
  ];
}

/** An idle function becomes inactive after weeks; its next call makes it active again. */
function stateVerdict(state: string, reason = "no reason"): Verdict {
  const message = `Lambda reports ${state}: ${reason}.`;
  if (state === "Failed") return problem(message, deployAgain);
  return warning(message, "Check again in a minute; Lambda makes it active at its next call.");
}

/**
 * Lambda reads the inbox for process-callback. The template does not say that it is enabled, so drift does not show it.
 */
export const mappingCheck: Check = {
  name: "inbox to process-callback",
  run: async ({ clients, functions, inbox }) => {
    const FunctionName = functions.find(({ label }) => label === "process-callback")?.name;
    const found: EventSourceMappingConfiguration[] = [];
    const pages = paginateListEventSourceMappings({ client: clients.lambda }, { FunctionName });
    for await (const { EventSourceMappings = [] } of pages) {
      found.push(...EventSourceMappings.filter((mapping) => isOfQueue(mapping, inbox.url)));
    }
    return found.length === 0 ? [noMapping] : found.flatMap(mappingVerdicts);
  },
};

function isOfQueue({ EventSourceArn = "" }: EventSourceMappingConfiguration, url: string): boolean {
  return EventSourceArn.split(":").at(-1) === url.split("/").at(-1);
}

const notProcessed = "callbacks are stored but not processed.";
const noMapping = problem(`No event source mapping reads the inbox: ${notProcessed}`, deployAgain);

function mappingVerdicts(mapping: EventSourceMappingConfiguration): readonly Verdict[] {
  const { UUID, State = "unknown" } = mapping;
  const state = State.toLowerCase();
  const isChanging = /^(creating|enabling|updating)$/.test(state);
  const enable = `aws lambda update-event-source-mapping --uuid ${UUID} --enabled`;
  const faults = [
    ...faultIf(isChanging, warning(`It is ${state}.`, waitAMinute)),
    ...faultIf(
      state !== "enabled" && !isChanging,
      problem(`It is ${state}: ${notProcessed}`, enable),
    ),
  ];
  return faultsOr(faults, "enabled");
}
