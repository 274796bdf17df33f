import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import type { Target } from "../target/target.ts";
import {
  type Check,
  deployAgain,
  faultIf,
  faultsOr,
  problem,
  type Verdict,
  warning,
} from "./finding.ts";

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
  const message = `Lambda says ${state}: ${reason}.`;
  if (state === "Failed") return problem(message, deployAgain);
  return warning(message, "Check again in a minute; Lambda makes it active at its next call.");
}

/** Lambda reads the inbox for process-callback, and takes back only the messages that failed. */
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

const notProcessed = "callbacks are stored and not processed.";
const noMapping = problem(`No event source mapping reads the inbox: ${notProcessed}`, deployAgain);
const wholeBatches = problem(
  "It does not report failures per message: one failure repeats its whole batch.",
  deployAgain,
);

function mappingVerdicts(mapping: EventSourceMappingConfiguration): readonly Verdict[] {
  const { UUID, State = "unknown", FunctionResponseTypes = [] } = mapping;
  const state = State.toLowerCase();
  const isChanging = /^(creating|enabling|updating)$/.test(state);
  const enable = `aws lambda update-event-source-mapping --uuid ${UUID} --enabled`;
  const faults = [
    ...faultIf(isChanging, warning(`It is ${state}.`, waitAMinute)),
    ...faultIf(
      state !== "enabled" && !isChanging,
      problem(`It is ${state}: ${notProcessed}`, enable),
    ),
    ...faultIf(!FunctionResponseTypes.includes("ReportBatchItemFailures"), wholeBatches),
  ];
  return faultsOr(faults, "enabled, with failures per message");
}
