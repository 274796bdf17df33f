import {
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import type { Target } from "../target/target.ts";
import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

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

const deployAgain = "Deploy the stack again.";

function configurationFaults(configuration: FunctionConfiguration): readonly Verdict[] {
  const { State, StateReason, LastUpdateStatus, LastUpdateStatusReason } = configuration;
  return [
    ...(State === "Active" || State === undefined ? [] : [stateVerdict(State, StateReason)]),
    ...(LastUpdateStatus === "Failed"
      ? [problem(`Its last update failed: ${LastUpdateStatusReason ?? "no reason"}.`, deployAgain)]
      : []),
    ...(LastUpdateStatus === "InProgress"
      ? [warning("It is being updated.", "Wait a minute, then check again.")]
      : []),
  ];
}

/** An idle function becomes inactive after weeks; its next call makes it active again. */
function stateVerdict(state: string, reason = "no reason"): Verdict {
  const message = `Lambda says ${state}: ${reason}.`;
  if (state === "Failed") return problem(message, deployAgain);
  return warning(message, "Check again in a minute; Lambda makes it active at its next call.");
}
