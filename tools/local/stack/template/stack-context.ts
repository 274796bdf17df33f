import * as z from "zod";
import { localAccountId, localPlace } from "../../aws/local-account.ts";
import { createResolver, type Resolve } from "./resolve-intrinsics.ts";
import { arnOf, queueName } from "./resource-identity.ts";
import { found, type Resource, readProperties, StackError, type Template } from "./template.ts";

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
  /** After this call, references to the secret return this ARN. Secrets Manager assigns it. */
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
    const missing = `The template refers to ${logicalId}, but has no such resource.`;
    const resource = found(template.Resources[logicalId], missing);
    const secretArn = secretArns.get(logicalId);
    if (secretArn !== undefined) return identity(secretArn, {});
    if (resource.Type === "AWS::Lambda::Alias") return identifyAlias(resource, identify);
    return identifyByName(logicalId, resource, options);
  };
  const resolve = createResolver({
    refOf: (name) => (name.startsWith("AWS::") ? pseudoParameters.get(name) : identify(name).ref),
    attributeOf: (logicalId, attribute) => identify(logicalId).attribute(attribute),
  });
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

/** The template does not name its resources. The end of a CDK id makes a name unique. */
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
      return made(Type, `${sqsEndpoint}/${localAccountId}/${name}`);
    }
    case "AWS::DynamoDB::Table":
      return made(Type, named(255));
    case "AWS::ApiGatewayV2::Api":
      return identity(localApiId, { ApiEndpoint: apiEndpoint });
    default:
      return made(Type, named(64));
  }
}

function made(type: string, physicalId: string): Identity {
  const Arn = arnOf(type, physicalId) ?? otherArn(type, physicalId);
  return identity(physicalId, { Arn, QueueName: queueName(physicalId) });
}

/** For types without effect here: any ARN will do. */
function otherArn(type: string, name: string): string {
  const { partition, region, accountId } = localPlace;
  const service = (type.split("::")[1] ?? "").toLowerCase();
  return `arn:${partition}:${service}:${region}:${accountId}:${name}`;
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
  return identity(identify(parsed.data.FunctionName.Ref).attribute("Arn") ?? "", {});
}

function identity(ref: string, attributes: Record<string, string>): Identity {
  return { ref, attribute: (name) => attributes[name] };
}

/** The results of Ref and Fn::GetAtt for a resource. */
interface Identity {
  readonly ref: string;
  attribute(name: string): string | undefined;
}

const pseudoParameters = new Map([
  ["AWS::AccountId", localPlace.accountId],
  ["AWS::Partition", localPlace.partition],
  ["AWS::Region", localPlace.region],
]);
