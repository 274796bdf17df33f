import { type FunctionName, type Instance, startInstance } from "../integration/instance.ts";
import type { OperatedStack } from "../operations/operated-stack.ts";

/** A function on the data of a stack, as a deployment with another environment would make it. */
export async function deployFunction(
  operated: OperatedStack,
  name: FunctionName,
  changes: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const { aws, functions } = operated.stack().description;
  return await startInstance(name, aws, { ...functions[name]!.environment, ...changes });
}
