import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/local-account.ts";
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
    const missing = `The template refers to ${logicalId}, but has no such resource.`;
    const resource = found(template.Resources[logicalId], missing);
    const secretArn = secretArns.get(logicalId);
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
  return identity(identify(parsed.data.FunctionName.Ref).attribute("Arn") ?? "", {});
}

function identity(ref: string, attributes: Record<string, string>): Identity {
  return { ref, attribute: (name) => attributes[name] };
}

function arn(service: string, name: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccountId}:${name}`;
}

/** The results of Ref and Fn::GetAtt for a resource. */
interface Identity {
  readonly ref: string;
  attribute(name: string): string | undefined;
}

type Resolve = (value: unknown) => unknown;

/** The forms that CDK writes into Paycast's template. */
const intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) }),
  z.strictObject({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) }),
]);
type Intrinsic = z.output<typeof intrinsic>;

const pseudoParameters = new Map([
  ["AWS::AccountId", localAccountId],
  ["AWS::Partition", "aws"],
  ["AWS::Region", localRegion],
]);

/** Replaces intrinsics with plain values. Throws a StackError that names an intrinsic of another form. */
export function createResolver(identify: (logicalId: string) => Identity): Resolve {
  const reference = (target: string) =>
    target.startsWith("AWS::") ? pseudoParameters.get(target) : identify(target).ref;
  const run = (form: Intrinsic): string | undefined => {
    if ("Ref" in form) return reference(form.Ref);
    if ("Fn::Join" in form) {
      const [separator, parts] = form["Fn::Join"];
      return z.array(z.string()).parse(resolve(parts)).join(separator);
    }
    const [target, attribute] = form["Fn::GetAtt"];
    return identify(target).attribute(attribute);
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value === "string" && value.includes("{{resolve:")) throw unknown(value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    if (!entries.some(([key]) => key === "Ref" || key.startsWith("Fn::"))) {
      return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item)]));
    }
    const { data } = intrinsic.safeParse(value);
    const resolved = data && run(data);
    if (resolved === undefined) throw unknown(JSON.stringify(value));
    return resolved;
  };
  return resolve;
}

function unknown(value: string): StackError {
  return new StackError("local-intrinsic-unknown", `The local stack does not know ${value}.`);
}
