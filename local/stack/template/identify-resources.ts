import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/emulator.ts";
import type { Identity } from "./resolve-intrinsics.ts";
import { hasLocalMeaning, type Resource, StackError, type Template } from "./template.ts";

export interface IdentifyOptions {
  readonly template: Template;
  readonly stackName: string;
  readonly sqsEndpoint: string;
  readonly apiEndpoint: string;
  /** The ARN of each secret by logical id, because Secrets Manager chooses them. */
  readonly secretArns: ReadonlyMap<string, string>;
}

/** The name of a resource without one in the template. The end of CDK's ids makes it unique. */
export function physicalName(stackName: string, logicalId: string, maxLength: number): string {
  return `${stackName}-${logicalId.slice(-(maxLength - stackName.length - 1))}`;
}

/** The id of the HTTP API in addresses that the template builds. */
export const localApiId = "local";

export function createIdentify(options: IdentifyOptions): (logicalId: string) => Identity {
  return (logicalId) => {
    const resource = options.template.Resources[logicalId];
    if (resource !== undefined) return identify(logicalId, resource, options);
    throw new StackError(
      "local-reference-unknown",
      `The template refers to ${logicalId}, but has no such resource.`,
    );
  };
}

function identify(logicalId: string, resource: Resource, options: IdentifyOptions): Identity {
  switch (resource.Type) {
    case "AWS::SQS::Queue":
      return identifyQueue(queueName(options.stackName, logicalId, resource), options.sqsEndpoint);
    case "AWS::DynamoDB::Table":
    case "AWS::DynamoDB::GlobalTable":
      return identifyTable(tableName(options.stackName, logicalId, resource));
    case "AWS::SecretsManager::Secret":
      return identifySecret(logicalId, options.secretArns);
    case "AWS::Lambda::Function":
      return identifyFunction(functionName(options.stackName, logicalId, resource));
    case "AWS::Lambda::Alias":
      return identifyAlias(resource, options);
    case "AWS::ApiGatewayV2::Api":
      return identity(localApiId, { ApiEndpoint: options.apiEndpoint, ApiId: localApiId });
    case "AWS::ApiGatewayV2::Stage":
      return identity(givenName(resource, "StageName") ?? logicalId, {});
    case "AWS::ApiGatewayV2::DomainName":
      return identity(givenName(resource, "DomainName") ?? logicalId, {
        RegionalDomainName: "localhost",
        RegionalHostedZoneId: "local",
      });
    default:
      return identifyOther(logicalId, resource, options.stackName);
  }
}

function queueName(stackName: string, logicalId: string, resource: Resource): string {
  const given = givenName(resource, "QueueName");
  if (given !== undefined) return given;
  const isFifo = String(resource.Properties["FifoQueue"]) === "true";
  return isFifo
    ? `${physicalName(stackName, logicalId, 75)}.fifo`
    : physicalName(stackName, logicalId, 80);
}

function tableName(stackName: string, logicalId: string, resource: Resource): string {
  return givenName(resource, "TableName") ?? physicalName(stackName, logicalId, 255);
}

export function functionName(stackName: string, logicalId: string, resource: Resource): string {
  return givenName(resource, "FunctionName") ?? physicalName(stackName, logicalId, 64);
}

function identifyQueue(name: string, sqsEndpoint: string): Identity {
  const url = `${sqsEndpoint}/${localAccountId}/${name}`;
  return identity(url, { Arn: arn("sqs", name), QueueName: name, QueueUrl: url });
}

function identifyTable(name: string): Identity {
  return identity(name, { Arn: arn("dynamodb", `table/${name}`) });
}

function identifyFunction(name: string): Identity {
  return identity(name, { Arn: arn("lambda", `function:${name}`) });
}

const aliasSchema = z.object({ FunctionName: z.object({ Ref: z.string() }) });

/** One machine runs one version of each function, so an alias is the function itself. */
function identifyAlias({ Type, Properties }: Resource, options: IdentifyOptions): Identity {
  const parsed = aliasSchema.safeParse(Properties);
  if (!parsed.success) {
    const message = `An ${Type} must name its function by a Ref.`;
    throw new StackError("local-properties-unknown", message);
  }
  const { attribute } = createIdentify(options)(parsed.data.FunctionName.Ref);
  return { ref: attribute("Arn") ?? "", attribute: () => undefined };
}

function identifySecret(logicalId: string, arns: ReadonlyMap<string, string>): Identity {
  const secretArn = arns.get(logicalId);
  if (secretArn !== undefined) return identity(secretArn, { Id: secretArn });
  throw new StackError(
    "local-reference-unknown",
    `Another resource refers to the secret ${logicalId} before it is made.`,
  );
}

/** A type without local meaning gives a text for every attribute, since nothing here depends on it. */
function identifyOther(logicalId: string, resource: Resource, stackName: string): Identity {
  const ref = physicalName(stackName, logicalId, 64);
  const service = (resource.Type.split("::")[1] ?? "").toLowerCase();
  if (hasLocalMeaning(resource.Type)) return identity(ref, { Arn: arn(service, ref) });
  return {
    ref,
    attribute: (name) => (name === "Arn" ? arn(service, ref) : `${ref}.${name}`),
  };
}

function identity(ref: string, attributes: Record<string, string>): Identity {
  return { ref, attribute: (name) => attributes[name] };
}

/** A name must be plain text, because it is needed before intrinsics can be resolved. */
function givenName(resource: Resource, property: string): string | undefined {
  const parsed = z.string().optional().safeParse(resource.Properties[property]);
  if (parsed.success) return parsed.data;
  throw new StackError(
    "local-properties-unknown",
    `The ${property} of a ${resource.Type} must be plain text.`,
  );
}

function arn(service: string, name: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccountId}:${name}`;
}
