import { available } from "../ports/available.ts";
import { type FunctionState, findFunction, type SourceMapping } from "../ports/functions.ts";
import type { StackAlarm } from "../ports/metrics.ts";
import { queueNameOf } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
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
  run: async ({ stack }) => [statusVerdict(await available(stack.deployment).status())],
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
  run: async ({ stack: { deployment } }, { commandVersion: command }) => {
    const stack = available(deployment).version;
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
    const alarms = await available(target.metrics.allAlarms)();
    if (alarms.length === 0) return [problem("The stack has no alarms.", deployAgain)];
    const ringing = alarms.filter(({ isRinging }) => isRinging);
    return [audibleVerdict(alarms.filter(isForPeople)), ...ringing.map(ringingVerdict)];
  },
};

/** The alarms of a gradual rollout end a deployment, and notify nobody. */
function isForPeople({ description }: StackAlarm): boolean {
  return !description.includes("Notifies nobody.");
}

function audibleVerdict(alarms: readonly StackAlarm[]): Verdict {
  const silent = alarms.filter(({ notifiesSomebody }) => !notifiesSomebody);
  if (silent.length === 0) return ok(`${alarms.length} alarms, and each has a topic to notify`);
  return warning(
    `${silent.length} of ${alarms.length} alarms notify nobody.`,
    "Set alarms.email or alarms.topicArn in the config and deploy. If actions are disabled, enable them.",
  );
}

/** Each alarm's description says what it means and what to do. */
function ringingVerdict({ name, description }: StackAlarm): Verdict {
  return problem(`${name} is in alarm.`, description === "" ? "See docs/runbook.md." : description);
}

/** Each function can run, with the code that was deployed last. */
export function functionChecks({ functions }: Pick<Target, "functions">): readonly Check[] {
  return functions.all.map(({ label, name }) => ({
    name: `function ${label}`,
    run: async () => {
      const state = await available(functions.lambda).stateOf(name);
      return faultsOr(stateFaults(state), `active on ${state.runtime}`);
    },
  }));
}

const waitAMinute = "Wait a minute, then check again.";

function stateFaults(found: FunctionState): readonly Verdict[] {
  const { state, stateReason, lastUpdate, lastUpdateReason = "no reason" } = found;
  const failed = `Its last update failed: ${lastUpdateReason}.`;
  return [
    ...faultIf(state !== "Active", stateVerdict(state, stateReason)),
    ...faultIf(lastUpdate === "Failed", problem(failed, deployAgain)),
    ...faultIf(lastUpdate === "InProgress", warning("It is being updated.", waitAMinute)),
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
  run: async ({ functions, queues }) => {
    const { name = "" } = findFunction(functions, "process-callback") ?? {};
    const all = await available(functions.lambda).mappingsOf(name);
    const found = all.filter(({ queueName }) => queueName === queueNameOf(queues.inbox.url));
    return found.length === 0 ? [noMapping] : found.flatMap(mappingVerdicts);
  },
};

const notProcessed = "callbacks are stored but not processed.";
const noMapping = problem(`No event source mapping reads the inbox: ${notProcessed}`, deployAgain);

function mappingVerdicts(mapping: SourceMapping): readonly Verdict[] {
  const state = mapping.state.toLowerCase();
  const isChanging = /^(creating|enabling|updating)$/.test(state);
  const enable = `aws lambda update-event-source-mapping --uuid ${mapping.id} --enabled`;
  const faults = [
    ...faultIf(isChanging, warning(`It is ${state}.`, waitAMinute)),
    ...faultIf(
      state !== "enabled" && !isChanging,
      problem(`It is ${state}: ${notProcessed}`, enable),
    ),
  ];
  return faultsOr(faults, "enabled");
}
