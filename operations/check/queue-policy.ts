import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { problem, type Verdict, warning } from "./finding.ts";
import type { QueueAttributes } from "./queue-attributes.ts";

const oneOrMore = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === "string" ? [value] : value));

const statementSchema = z.object({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([z.literal("*"), z.record(z.string(), oneOrMore)]).optional(),
  Action: oneOrMore.default([]),
  NotAction: oneOrMore.optional(),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).optional(),
});
export type Statement = z.output<typeof statementSchema>;

const policySchema = z.object({
  Statement: z
    .union([statementSchema, z.array(statementSchema)])
    .transform((value) => (Array.isArray(value) ? value : [value])),
});

/** What a consumer in another account needs. Anything else would let it change what others read. */
const readerActions = new Set(
  [
    "ReceiveMessage",
    "DeleteMessage",
    "ChangeMessageVisibility",
    "GetQueueAttributes",
    "GetQueueUrl",
  ].map((name) => `sqs:${name}`.toLowerCase()),
);

export const setBack = "Remove the statement from the queue's policy, or deploy the stack again.";

/** Everybody whom the policy lets do more than the template would. */
export function policyFaults(
  attributes: QueueAttributes,
  mayHaveReaders: boolean,
): readonly Verdict[] {
  const { Policy: text } = attributes;
  const policy = policySchema.safeParse(parseJson(text ?? ""));
  if (!policy.success) {
    const message = text ? "The queue's policy cannot be read." : "The queue has no policy.";
    return [warning(`${message} It should refuse requests without TLS.`, setBack)];
  }
  const statements = policy.data.Statement;
  return [
    ...statements.flatMap((one) => statementFaults(one, ownerOf(attributes), mayHaveReaders)),
    ...(statements.some(refusesPlainHttp)
      ? []
      : [warning("The queue's policy does not refuse requests without TLS.", setBack)]),
    ...(statements.some(refusesSenders) ? [] : [sentByAnybody]),
  ];
}

/** None if there is no policy, or one that cannot be read. */
export function statementsIn({ Policy: text }: QueueAttributes): readonly Statement[] {
  return policySchema.safeParse(parseJson(text ?? "")).data?.Statement ?? [];
}

const sentByAnybody = problem(
  "Everybody in the account with a permission to send to SQS can send to the queue, and what is in it counts as authentic.",
  "Deploy the stack again: its template refuses all but the functions and the operators.",
);

/** Whom the policy lets send to the queue, as far as IAM allows it. Undefined if it does not say. */
export function sendersIn(attributes: QueueAttributes): readonly string[] | undefined {
  const refusal = statementsIn(attributes).find(refusesSenders);
  return refusal && (refusal.Condition?.["ArnNotLike"]?.["aws:PrincipalArn"] ?? []);
}

/** With any other condition than the one on the sender's role, somebody else may get through. */
function refusesSenders(statement: Statement): boolean {
  const { Effect, Action, Condition = {} } = statement;
  const tests = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.keys(keys).map((key) => `${operator} ${key}`),
  );
  return (
    Effect === "Deny" &&
    principalsOf(statement).includes("*") &&
    Action.some((action) => /^(?:sqs:(?:SendMessage|\*)|\*)$/i.test(action)) &&
    tests.every((test) => test === "ArnNotLike aws:PrincipalArn")
  );
}

/** The other accounts that may read the queue. */
export function readersIn(attributes: QueueAttributes): readonly string[] {
  const allowed = statementsIn(attributes).filter(({ Effect }) => Effect === "Allow");
  const accounts = allowed.flatMap(principalsOf).flatMap((one) => accountOf(one) ?? []);
  return [...new Set(accounts)].filter((account) => account !== ownerOf(attributes));
}

function statementFaults(
  statement: Statement,
  owner: string | undefined,
  mayHaveReaders: boolean,
): readonly Verdict[] {
  if (statement.Effect === "Deny") return [];
  const strangers = principalsOf(statement).filter((one) => accountOf(one) !== owner);
  return strangers.flatMap((stranger) => strangerFaults(stranger, statement, mayHaveReaders));
}

function strangerFaults(
  stranger: string,
  statement: Statement,
  mayHaveReaders: boolean,
): readonly Verdict[] {
  const isReader = accountOf(stranger) !== undefined && mayHaveReaders;
  if (isReader && statement.NotAction === undefined && statement.Action.every(isReading)) return [];
  const actions =
    statement.NotAction === undefined ? statement.Action.join(", ") : "almost everything";
  const who = stranger === "*" ? "everybody" : stranger;
  const under = statement.Condition === undefined ? "" : " under a condition";
  return [problem(`The queue's policy lets ${who} do ${actions}${under}.`, setBack)];
}

function isReading(action: string): boolean {
  return readerActions.has(action.toLowerCase());
}

/** Accounts, roles, services. A statement without a principal we can read counts as everybody. */
export function principalsOf({ Principal }: Statement): readonly string[] {
  if (Principal === undefined || Principal === "*") return ["*"];
  return Object.values(Principal).flat();
}

export function accountOf(principal: string): string | undefined {
  return /^(?:arn:aws[\w-]*:(?:iam|sts)::)?(\d{12})(?::|$)/.exec(principal)?.[1];
}

function ownerOf(attributes: QueueAttributes): string | undefined {
  return attributes["QueueArn"]?.split(":")[4];
}

function refusesPlainHttp({ Effect, Condition }: Statement): boolean {
  return Effect === "Deny" && JSON.stringify(Condition ?? {}).includes('"aws:SecureTransport"');
}
