import * as z from "zod";
import { describeIssues } from "../../../../shared/errors/describe-issues.ts";
import type { ErrorCode } from "../../../../shared/errors/error-codes.ts";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";

const section = z.record(z.string(), z.unknown()).default({});

const resourceSchema = z.object({ Type: z.string(), Properties: section, Metadata: section });

/**
 * Paycast's template has no conditions. A resource with a condition is an error, because it would always be created
 * here.
 */
const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema.extend({ Condition: z.never().optional() })),
});

export type Template = z.infer<typeof templateSchema>;
export type Resource = z.infer<typeof resourceSchema>;

/** The template contains something that cannot run here. The message names the resource and the reason. */
export class StackError extends PaycastError {}

/** Throws a StackError if a reference of the template, or of this project, does not resolve. */
export function found<T>(
  value: T | undefined,
  missing: string,
  code: ErrorCode = "local-reference-unknown",
): T {
  if (value !== undefined) return value;
  throw new StackError(code, missing);
}

/** Marks a property that has no effect on one machine. A property that a schema does not list is an error. */
export const ignored = z.unknown().optional();

/** The path of the resource in the CDK app, for messages and lookups. The id "Default" is omitted. */
export function constructPath(resource: Resource): string | undefined {
  const path = resource.Metadata["aws:cdk:path"];
  return typeof path === "string" ? path.replace(/\/Default(?=\/|$)|\/Resource$/g, "") : undefined;
}

/** Reads properties whose intrinsics are resolved. */
export function readProperties<Output>(
  schema: z.ZodType<Output>,
  logicalId: string,
  type: string,
  properties: unknown,
): Output {
  const parsed = schema.safeParse(properties);
  if (parsed.success) return parsed.data;
  throw new StackError(
    "local-properties-unknown",
    `${logicalId} (${type}) cannot be created here: ${describeIssues(parsed.error, "Properties")}.`,
  );
}

/** The resource types that the local stack runs. */
const made = new Set([
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::DomainName",
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::Stage",
  "AWS::DynamoDB::Table",
  "AWS::Events::Rule",
  // Each function runs under its role (tools/local/permissions).
  "AWS::IAM::Role",
  "AWS::Lambda::Alias",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Lambda::Function",
  // Alarms read its counts (tools/local/alarms).
  "AWS::Logs::MetricFilter",
  "AWS::SecretsManager::Secret",
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
]);

/** The resource types without effect on one machine: rollouts, dashboards, logs and names. */
const withoutLocalMeaning = new Set([
  "AWS::ApiGatewayV2::ApiMapping",
  // On loopback, storefront calls need no signature and no token.
  "AWS::ApiGatewayV2::Authorizer",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  // One machine runs one version of each function, so nothing is rolled out.
  "AWS::CodeDeploy::Application",
  "AWS::CodeDeploy::DeploymentGroup",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::Permission",
  "AWS::Lambda::Version",
  "AWS::Logs::LogGroup",
  "AWS::Route53::RecordSet",
  "AWS::SNS::Subscription",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
]);

/** A part that is silently skipped would make the local stack differ from the deployed one. */
export function readTemplate(input: unknown): Template {
  const parsed = templateSchema.safeParse(input);
  if (!parsed.success) {
    const reason = describeIssues(parsed.error, "template");
    throw new StackError("local-template-invalid", `The template cannot run here: ${reason}.`);
  }
  const unknown = Object.entries(parsed.data.Resources)
    .filter(([, { Type }]) => !made.has(Type) && !withoutLocalMeaning.has(Type))
    .map(([logicalId, { Type }]) => `${Type} (${logicalId})`);
  if (unknown.length === 0) return parsed.data;
  throw new StackError(
    "local-resource-unknown",
    `The local stack does not know how to run ${unknown.join(", ")}. Add it to tools/local/stack, or list it in tools/local/stack/template/template.ts as a type without local meaning.`,
  );
}
