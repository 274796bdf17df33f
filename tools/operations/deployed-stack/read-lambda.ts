import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import { functionOutput } from "../../../shared/output-names.ts";
import type { Lambda, SourceMapping, StackFunction } from "../ports/functions.ts";
import type { StackOutputs } from "../ports/stack.ts";

const functionLabels = [
  "receive-callback",
  "process-callback",
  "count-attention",
  "create-order",
  "query-order",
  "reconcile-orders",
];

/** The functions that the stack has, with what they were deployed with. */
export async function readFunctions(
  client: LambdaClient,
  outputs: StackOutputs,
): Promise<readonly StackFunction[]> {
  const named = functionLabels.flatMap((label) => {
    const name = outputs.get(functionOutput(label));
    return name === undefined ? [] : [{ label, name }];
  });
  return await Promise.all(
    named.map(async ({ label, name }) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName: name });
      const { Environment, LoggingConfig, Role: role } = await client.send(command);
      const logGroup = LoggingConfig?.LogGroup;
      return { label, name, environment: Environment?.Variables ?? {}, role, logGroup };
    }),
  );
}

export function openLambda(client: LambdaClient): Lambda {
  return {
    concurrencyOf: async (names) => {
      const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions: limit = 0, UnreservedConcurrentExecutions: unreserved = 0 } =
        AccountLimit ?? {};
      const reserved = new Map<string, number>();
      for (const FunctionName of names) {
        const command = new GetFunctionConcurrencyCommand({ FunctionName });
        const { ReservedConcurrentExecutions: instances } = await client.send(command);
        if (instances !== undefined) reserved.set(FunctionName, instances);
      }
      return { limit, unreserved, reserved };
    },
    stateOf: async (FunctionName) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName });
      const configuration = await client.send(command);
      return {
        runtime: configuration.Runtime ?? "an unknown runtime",
        state: configuration.State ?? "Active",
        stateReason: configuration.StateReason,
        lastUpdate: configuration.LastUpdateStatus,
        lastUpdateReason: configuration.LastUpdateStatusReason,
      };
    },
    mappingsOf: async (FunctionName) => {
      const found: SourceMapping[] = [];
      const pages = paginateListEventSourceMappings({ client }, { FunctionName });
      for await (const { EventSourceMappings = [] } of pages) {
        for (const { UUID: id = "", EventSourceArn = "", State } of EventSourceMappings) {
          const queueName = EventSourceArn.split(":").at(-1) ?? "";
          found.push({ id, queueName, state: State ?? "unknown" });
        }
      }
      return found;
    },
  };
}
