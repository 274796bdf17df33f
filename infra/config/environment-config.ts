import * as z from "zod";
import { describeIssues } from "../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { type Config, type ConfigSurroundings, readConfig } from "./config-schema.ts";

/** CloudFormation allows 128 characters, but the name is also a prefix of queue, function and alarm names. */
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

/** Where a config file is deployed. In your own CDK app these are the props of the stack. */
const environmentFields = {
  name: stackName.optional().meta({
    description:
      "The stack's name: a letter, then up to 63 letters, digits and dashes. Metrics and alarms carry it, and operators pass it as `--stack`.",
    without: "`Paycast`",
  }),
  account: z
    .string()
    .regex(/^\d{12}$/, "must be an account id of 12 digits")
    .optional()
    .meta({
      description: "The account of the stack. It requires `region`.",
      without: "from your credentials",
    }),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region, like "eu-west-1"')
    .optional()
    .meta({
      description: "The region of the stack.",
      without: "from your credentials",
    }),
  tags: tagsSchema
    .default({})
    .describe("Tags of the stack, which CloudFormation copies to its resources."),
  terminationProtection: z
    .boolean()
    .default(false)
    .describe("CloudFormation does not delete the stack while this is set."),
  permissionsBoundary: z
    .string()
    .regex(
      /^[\w+=,.@-][\w+=,.@/-]{0,511}$/,
      "must be the name of a policy in the account, not its ARN, and a path must not begin with a slash",
    )
    .optional()
    .meta({
      description:
        "The name of an IAM policy of the account that limits every role of the stack. Some organizations require one for each role.",
      more: "deploying.md#1-prepare-the-account-once",
    }),
  qualifier: z
    .string()
    .regex(
      /^[a-z0-9]{1,10}$/,
      "must be 1 to 10 lower case letters and digits, the qualifier of cdk bootstrap",
    )
    .optional()
    .meta({
      description:
        "The qualifier of the CDK bootstrap that deploys the stack: 1 to 10 lower case letters and digits.",
      without: "the CDK's default",
      more: "deploying.md#1-prepare-the-account-once",
    }),
};

export const environmentSchema = z
  .object(environmentFields)
  .refine(({ account, region }) => account === undefined || region !== undefined, {
    path: ["region"],
    message:
      "must be set together with account: otherwise the stack could be deployed to any region",
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

/** Applies `-c stackName`. It must not contradict the file: otherwise the file of one stack would change another. */
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
