import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/emulator.ts";
import { createResolver, type Identity, type Resolve } from "./resolve-intrinsics.ts";
import { type Resource, readProperties, StackError, type Template } from "./template.ts";

export interface DeclaredResource {
  readonly logicalId: string;
  readonly resource: Resource;
  readonly identity: Identity;
}

/** A template together with the values that its intrinsics refer to. */
export interface StackContext {
  readonly stackName: string;
  readonly resolve: Resolve;
  /** The resources of a type. */
  declared(type: string): DeclaredResource[];
  properties<Output>(schema: z.ZodType<Output>, declared: DeclaredResource): Output;
  /** After this call, references to the secret give this ARN. Secrets Manager chooses it. */
  setSecretArn(logicalId: string, arn: string): void;
}

interface ContextOptions {
  readonly template: Template;
  readonly stackName: string;
  readonly sqsEndpoint: string;
  readonly apiEndpoint: string;
}

/** The id of the HTTP API. */
export const localApiId = "local";

export function createStackContext(options: ContextOptions): StackContext {
  const { template, stackName } = options;
  const secretArns = new Map<string, string>();
  const identify = (logicalId: string): Identity => {
    const resource = template.Resources[logicalId];
    const secretArn = secretArns.get(logicalId);
    if (resource === undefined) throw unknownReference(logicalId);
    if (secretArn !== undefined) return identity(secretArn, {});
    if (resource.Type === "AWS::Lambda::Alias") return identifyAlias(resource, identify);
    return identifyByName(logicalId, resource, options);
  };
  const resolve = createResolver(identify);
  return {
    stackName,
    resolve,
    declared: (type) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([logicalId, resource]) => ({
          logicalId,
          resource,
          get identity() {
            return identify(logicalId);
          },
        })),
    properties: (schema, { logicalId, resource }) =>
      readProperties(schema, logicalId, resource.Type, resolve(resource.Properties)),
    setSecretArn: (logicalId, arn) => secretArns.set(logicalId, arn),
  };
}

/** The template names no resource. The end of CDK's ids makes a name unique. */
export function physicalName(stackName: string, logicalId: string, maxLength: number): string {
  return `${stackName}-${logicalId.slice(-(maxLength - stackName.length - 1))}`;
}

function identifyByName(
  logicalId: string,
  { Type, Properties }: Resource,
  { stackName, sqsEndpoint, apiEndpoint }: ContextOptions,
): Identity {
  const named = (maxLength: number) => physicalName(stackName, logicalId, maxLength);
  switch (Type) {
    case "AWS::SQS::Queue": {
      const name = Properties["FifoQueue"] === true ? `${named(75)}.fifo` : named(80);
      const url = `${sqsEndpoint}/${localAccountId}/${name}`;
      return identity(url, { Arn: arn("sqs", name), QueueName: name });
    }
    case "AWS::DynamoDB::Table":
      return identity(named(255), { Arn: arn("dynamodb", `table/${named(255)}`) });
    case "AWS::Lambda::Function":
      return identity(named(64), { Arn: arn("lambda", `function:${named(64)}`) });
    case "AWS::ApiGatewayV2::Api":
      return identity(localApiId, { ApiEndpoint: apiEndpoint });
    default: {
      const service = (Type.split("::")[1] ?? "").toLowerCase();
      return identity(named(64), { Arn: arn(service, named(64)) });
    }
  }
}

const aliasSchema = z.object({ FunctionName: z.object({ Ref: z.string() }) });

/** One machine runs one version of each function, so an alias is the function itself. */
function identifyAlias(
  { Type, Properties }: Resource,
  identify: (logicalId: string) => Identity,
): Identity {
  const parsed = aliasSchema.safeParse(Properties);
  if (!parsed.success) {
    const message = `An ${Type} must name its function by a Ref.`;
    throw new StackError("local-properties-unknown", message);
  }
  const { attribute } = identify(parsed.data.FunctionName.Ref);
  return identity(attribute("Arn") ?? "", {});
}

function identity(ref: string, attributes: Record<string, string>): Identity {
  return { ref, attribute: (name) => attributes[name] };
}

function arn(service: string, name: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccountId}:${name}`;
}

function unknownReference(logicalId: string): StackError {
  return new StackError(
    "local-reference-unknown",
    `The template refers to ${logicalId}, but has no such resource.`,
  );
}
