import * as z from "zod";

const noVariable = "must have no policy variable: the local stack cannot evaluate it";

const text = z.string().refine((value) => !value.includes("${"), noVariable);

const oneOrMore = z
  .union([text, z.array(text)])
  .transform((value) => (typeof value === "string" ? [value] : value));

/** An unlisted element is an error that names it: it could allow or deny anything. */
function only<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `must have nothing but ${known}: the local stack cannot evaluate ${issue.keys.join(", ")}`
        : undefined,
  });
}

/** The conditions of the template and of the operator policies: each condition operator with its keys. */
const condition = only({
  ArnLike: only({ "lambda:SourceFunctionArn": oneOrMore }).optional(),
  ArnNotLike: only({ "aws:PrincipalArn": oneOrMore }).optional(),
  Bool: only({ "aws:SecureTransport": oneOrMore }).optional(),
  "ForAllValues:StringEquals": only({ "dynamodb:Attributes": oneOrMore }).optional(),
  "ForAllValues:StringLike": only({ "dynamodb:LeadingKeys": oneOrMore }).optional(),
  StringEquals: only({ "kms:ViaService": oneOrMore }).optional(),
  StringEqualsIfExists: only({ "dynamodb:ReturnValues": oneOrMore }).optional(),
});

export type OperatorName = keyof z.output<typeof condition>;

const elements = {
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: condition.optional(),
};

/** Everyone, or accounts and roles. */
const principal = only({ AWS: oneOrMore });

const documentOf = <Schema extends z.ZodType>(statement: Schema) =>
  only({ Version: z.literal("2012-10-17"), Statement: z.array(statement) });

/** The policy of a role. */
export const identityPolicySchema = documentOf(only(elements));

/** The policy of a queue. */
export const resourcePolicySchema = documentOf(only({ ...elements, Principal: principal }));

export interface Statement {
  readonly Sid?: string | undefined;
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Conditions | undefined>> | undefined;
  /** Only a resource-based policy has a principal. */
  readonly Principal?: { readonly AWS: readonly string[] } | undefined;
}

/** The wanted values of each key. */
export type Conditions = Readonly<Record<string, readonly string[]>>;
