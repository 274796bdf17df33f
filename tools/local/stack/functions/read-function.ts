import { existsSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import type { DeclaredResource, StackContext } from "../template/stack-context.ts";
import { ignored, readProperties, StackError } from "../template/template.ts";

/** A Lambda function of the template, with its intrinsics resolved. */
export interface FunctionDefinition {
  readonly name: string;
  /** The name in log lines: the bundle's name. */
  readonly label: string;
  readonly arn: string;
  /** The folder of the built bundle. */
  readonly codeDirectory: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly maxInstances: number;
  /**
   * Lambda throttles events above the reserved concurrency. Without a reserved concurrency, the local stack queues
   * them.
   */
  readonly isConcurrencyReserved: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** Enough for requests to run at the same time, as in Lambda, and not too many for a laptop. */
const defaultMaxInstances = 4;

const functionSchema = z.strictObject({
  Handler: z.string().regex(/^.+\.\w+$/, 'must be like "index.handler"'),
  Runtime: z.string().startsWith("nodejs", "must be a Node.js runtime"),
  Timeout: z.int().min(1).max(900).default(3),
  MemorySize: z.int().min(128).default(128),
  Environment: z
    .strictObject({ Variables: z.record(z.string(), z.string()).default({}) })
    .default({ Variables: {} }),
  ReservedConcurrentExecutions: z.int().min(1).optional(),
  Architectures: ignored,
  Description: ignored,
  LoggingConfig: ignored,
  Role: ignored,
  TracingConfig: ignored,
  // Functions on one machine use the machine's own network.
  VpcConfig: ignored,
});

export function readFunction(
  context: StackContext,
  { logicalId, resource, identity }: DeclaredResource,
): FunctionDefinition {
  // The code's S3 location means nothing here: CDK also writes the bundle's folder into the metadata.
  const { Code: _Code, ...declared } = resource.Properties;
  const resolved = context.resolve(declared);
  const properties = readProperties(functionSchema, logicalId, resource.Type, resolved);
  const codeDirectory = String(resource.Metadata["aws:asset:path"]);
  if (!existsSync(codeDirectory)) {
    const message = `The code of ${logicalId} is not at ${codeDirectory}. Build and synthesize the stack again.`;
    throw new StackError("local-code-missing", message);
  }
  const reserved = properties.ReservedConcurrentExecutions ?? Infinity;
  return {
    name: identity.ref,
    label: basename(codeDirectory),
    arn: identity.attribute("Arn") ?? "",
    codeDirectory,
    handler: properties.Handler,
    timeoutSeconds: properties.Timeout,
    memoryMegabytes: properties.MemorySize,
    maxInstances: Math.min(defaultMaxInstances, reserved),
    isConcurrencyReserved: reserved <= defaultMaxInstances,
    environment: properties.Environment.Variables,
  };
}
