import * as z from "zod";
import { describeIssues } from "../../shared/describe-issues.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { type Config, type ConfigSurroundings, readConfig } from "./config-schema.ts";

/** CloudFormation's own limit is 128 characters, but the name also begins the names of queues, functions and alarms. */
const stackNameRule = "must begin with a letter and have at most 64 letters, digits and dashes";
const stackName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, stackNameRule);

const tagValue = z
  .string()
  .max(256)
  .regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u, "must have letters, digits, spaces and _.:/=+-@ only");

const tagsSchema = z
  .record(z.string(), tagValue)
  .refine((tags) => Object.keys(tags).length <= 50, "must be at most 50 tags")
  .refine(
    (tags) =>
      Object.keys(tags).every((key) => /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu.test(key)),
    "must have names of 1 to 128 characters that do not begin with aws:",
  );

/** Where a config file is deployed. In a CDK app of your own these are the props of the stack. */
const environmentFields = {
  name: stackName.optional().meta({
    description:
      "The stack's name: begins with a letter, at most 64 letters, digits and dashes. Metrics and alarms carry it, and operators name it with `--stack`.",
    without: "`Paycast`",
  }),
  account: z
    .string()
    .regex(/^\d{12}$/, "must be an account id of 12 digits")
    .optional()
    .meta({
      description: "The account that the stack is deployed to. It needs a region beside it.",
      without: "of your credentials",
    }),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region, like "eu-west-1"')
    .optional()
    .meta({
      description: "The region that the stack is deployed to.",
      without: "of your credentials",
    }),
  tags: tagsSchema
    .default({})
    .describe("Tags of the stack, which CloudFormation puts on its resources."),
  terminationProtection: z
    .boolean()
    .default(false)
    .describe("CloudFormation refuses to delete the stack until somebody switches this off."),
  permissionsBoundary: z
    .string()
    .regex(
      /^[\w+=,.@-][\w+=,.@/-]{0,511}$/,
      "must be the name of a policy in the account, not its ARN, and a path must not begin with a slash",
    )
    .optional()
    .meta({
      description:
        "The name of an IAM policy of the account, which is the most that any role of the stack may do. Some organisations let nobody make a role without one.",
      more: "deploying.md#1-prepare-the-account-once",
    }),
  qualifier: z
    .string()
    .regex(
      /^[a-z0-9]{1,10}$/,
      "must be 1 to 10 lower case letters and digits, as cdk bootstrap takes it",
    )
    .optional()
    .meta({
      description:
        "Which of the account's CDK bootstraps deploys the stack, 1 to 10 lower case letters and digits.",
      without: "that of the CDK",
      more: "deploying.md#1-prepare-the-account-once",
    }),
};

export const environmentSchema = z
  .object(environmentFields)
  .refine(({ account, region }) => account === undefined || region !== undefined, {
    path: ["region"],
    message: "must be given together with account: otherwise the stack could go to any region",
  });

export type Environment = z.output<typeof environmentSchema>;

/** The content of a config file: a stack, and where it is deployed. */
export interface Deployment {
  readonly environment: Environment;
  readonly config: Config;
}

/** Throws `config-invalid` with a message that names every wrong field. */
export function parseDeployment(
  input: unknown,
  { account, region, nowMilliseconds }: ConfigSurroundings = {},
): Deployment {
  const { own, others } = splitFields(input);
  const environment = environmentSchema.safeParse(own);
  const read = readConfig(others, {
    account: environment.data?.account ?? account,
    region: environment.data?.region ?? region,
    ...(nowMilliseconds !== undefined && { nowMilliseconds }),
  });
  if (environment.success && !read.faults) {
    return { environment: environment.data, config: read.config };
  }
  const faults = [
    ...(environment.success ? [] : [describeIssues(environment.error, "the config")]),
    ...(read.faults ?? []),
  ];
  throw new PaycastError("config-invalid", faults.join("; "));
}

/** The name that `-c stackName` gives, which must not contradict the file: the file of one stack would change another. */
export function nameStack(
  { environment, config }: Deployment,
  named: string | undefined,
): Deployment {
  if (named === undefined || named === environment.name) return { environment, config };
  if (environment.name !== undefined) {
    throw new PaycastError(
      "config-invalid",
      `stackName must be ${environment.name}, the name in the config`,
    );
  }
  const { success } = stackName.safeParse(named);
  if (success) return { environment: { ...environment, name: named }, config };
  throw new PaycastError("config-invalid", `stackName ${stackNameRule}`);
}

function splitFields(input: unknown): { own: unknown; others: unknown } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return { own: {}, others: input };
  }
  const isOwn = ([field]: [string, unknown]) => Object.hasOwn(environmentFields, field);
  const fields: [string, unknown][] = Object.entries(input);
  return {
    own: Object.fromEntries(fields.filter(isOwn)),
    others: Object.fromEntries(fields.filter((field) => !isOwn(field))),
  };
}
