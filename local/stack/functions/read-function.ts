import { existsSync } from "node:fs";
import { basename, resolve as resolvePath } from "node:path";
import * as z from "zod";
import {
  constructPath,
  ignored,
  type Resource,
  readProperties,
  StackError,
} from "../template/template.ts";

/** A Lambda function of the template, with all intrinsics resolved. */
export interface FunctionDefinition {
  readonly logicalId: string;
  readonly path: string;
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
  readonly environment: Readonly<Record<string, string>>;
}

/** Enough for requests to run at the same time, as in Lambda, and not too many for a laptop. */
const defaultMaxInstances = 4;

const functionSchema = z.strictObject({
  Handler: z.string().regex(/^.+\.\w+$/, 'must be like "index.handler"'),
  Runtime: z.string().startsWith("nodejs", "must be a Node.js runtime"),
  Timeout: z.coerce.number().int().min(1).max(900).default(3),
  MemorySize: z.coerce.number().int().min(128).default(128),
  Environment: z
    .strictObject({ Variables: z.record(z.string(), z.coerce.string()).default({}) })
    .optional(),
  ReservedConcurrentExecutions: z.coerce.number().int().min(1).optional(),
  Code: ignored,
  FunctionName: z.string().optional(),
  Architectures: ignored,
  Description: ignored,
  EphemeralStorage: ignored,
  KmsKeyArn: ignored,
  LoggingConfig: ignored,
  PackageType: z.literal("Zip").optional(),
  RecursiveLoop: ignored,
  Role: ignored,
  RuntimeManagementConfig: ignored,
  Tags: ignored,
  TracingConfig: ignored,
  // Functions on one machine use the machine's own network.
  VpcConfig: ignored,
});

export function readFunction(
  logicalId: string,
  resource: Resource,
  identity: { readonly name: string; readonly arn: string },
  options: {
    readonly properties: unknown;
    readonly assetDirectory: string;
    rewrite(text: string): string;
  },
): FunctionDefinition {
  const properties = readProperties(functionSchema, logicalId, resource.Type, options.properties);
  const variables = Object.entries(properties.Environment?.Variables ?? {});
  const codeDirectory = findCode(logicalId, resource, options.assetDirectory);
  return {
    logicalId,
    path: constructPath(resource) ?? logicalId,
    ...identity,
    label: basename(codeDirectory),
    codeDirectory,
    handler: properties.Handler,
    timeoutSeconds: properties.Timeout,
    memoryMegabytes: properties.MemorySize,
    maxInstances: Math.min(
      defaultMaxInstances,
      properties.ReservedConcurrentExecutions ?? defaultMaxInstances,
    ),
    environment: Object.fromEntries(variables.map(([key, value]) => [key, options.rewrite(value)])),
  };
}

/** CDK writes the bundle's folder into the metadata. */
function findCode(logicalId: string, resource: Resource, assetDirectory: string): string {
  const directory = resolvePath(assetDirectory, String(resource.Metadata["aws:asset:path"]));
  if (existsSync(directory)) return directory;
  throw new StackError(
    "local-code-missing",
    `The code of ${logicalId} is not at ${directory}. Build and synthesize the stack again.`,
  );
}
