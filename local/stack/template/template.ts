import * as z from "zod";
import { describeIssues } from "../../../shared/describe-issues.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";

const section = z.record(z.string(), z.unknown()).default({});

const resourceSchema = z.object({
  Type: z.string(),
  Properties: section,
  Metadata: section,
  Condition: z.string().optional(),
});

const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Conditions: section,
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

export type Template = z.infer<typeof templateSchema>;
export type Resource = z.infer<typeof resourceSchema>;

/** The template holds something that cannot run here. The message names the resource and the reason. */
export class StackError extends PaycastError {}

export function readTemplate(input: unknown): Template {
  const parsed = templateSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new StackError(
    "local-template-invalid",
    `This is not a CloudFormation template: ${describeIssues(parsed.error, "template")}.`,
  );
}

/** Marks a property that has no effect on one machine. A property that a schema does not list is refused. */
export const ignored = z.unknown().optional();

/** The path of the resource in the CDK app, for messages and to find the resource. "Default" is an id that says nothing. */
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
    `${logicalId} (${type}) cannot be made here: ${describeIssues(parsed.error, "Properties")}.`,
  );
}
