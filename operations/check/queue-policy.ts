import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { faultIf, problem, type Verdict, warning } from "./finding.ts";
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
type Statement = z.output<typeof statementSchema>;

const policySchema = z.object({
  Statement: z
    .union([statementSchema, z.array(statementSchema)])
    .transform((value) => (Array.isArray(value) ? value : [value])),
});

/** What a consumer in another account needs. Anything else would let it change what others read. */
const readerActions =
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$/i;

const setBack = "Remove the statement from the queue's policy, or deploy the stack again.";

/** Undefined if there is no policy, or one that cannot be read. */
function statementsIn({ Policy: text = "" }: QueueAttributes): readonly Statement[] | undefined {
  return policySchema.safeParse(parseJson(text)).data?.Statement;
}

/** Everybody who may do more by this policy than by the template's. */
export function policyFaults(
  attributes: QueueAttributes,
  mayHaveReaders: boolean,
): readonly Verdict[] {
  const statements = statementsIn(attributes);
  if (statements === undefined) {
    const { Policy: text } = attributes;
    const message = text ? "The queue's policy cannot be read." : "The queue has no policy.";
    return [warning(`${message} It should refuse requests without TLS.`, setBack)];
  }
  const plainHttp = warning("The queue's policy does not refuse requests without TLS.", setBack);
  return [
    ...statements.flatMap((one) => statementFaults(one, ownerOf(attributes), mayHaveReaders)),
    ...faultIf(!statements.some(refusesPlainHttp), plainHttp),
    ...faultIf(!statements.some(refusesSenders), sentByAnybody),
  ];
}

const sentByAnybody = problem(
  "Everybody in the account with a permission to send to SQS can send to the queue, and what is in it counts as authentic.",
  "Deploy the stack again: its template refuses all but the functions and the operators.",
);

/** Whom the policy lets send to the queue, as far as IAM allows it. Undefined if it does not say. */
export function sendersIn(attributes: QueueAttributes): readonly string[] | undefined {
  const refusal = statementsIn(attributes)?.find(refusesSenders);
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
  const allowed = statementsIn(attributes)?.filter(({ Effect }) => Effect === "Allow") ?? [];
  const accounts = allowed.flatMap(principalsOf).flatMap((one) => accountOf(one) ?? []);
  return [...new Set(accounts)].filter((account) => account !== ownerOf(attributes));
}

function statementFaults(
  statement: Statement,
  owner: string | undefined,
  mayHaveReaders: boolean,
): readonly Verdict[] {
  const { Effect, Action, NotAction, Condition } = statement;
  if (Effect === "Deny") return [];
  const isReading = NotAction === undefined && Action.every((action) => readerActions.test(action));
  const actions = NotAction === undefined ? Action.join(", ") : "almost everything";
  const under = Condition === undefined ? "" : " under a condition";
  return principalsOf(statement)
    .filter((one) => accountOf(one) !== owner)
    .filter((one) => !(isReading && mayHaveReaders && accountOf(one) !== undefined))
    .map((one) => {
      const who = one === "*" ? "everybody" : one;
      return problem(`The queue's policy lets ${who} do ${actions}${under}.`, setBack);
    });
}

/** Accounts, roles, services. A statement without a principal we can read counts as everybody. */
function principalsOf({ Principal }: Statement): readonly string[] {
  if (Principal === undefined || Principal === "*") return ["*"];
  return Object.values(Principal).flat();
}

function accountOf(principal: string): string | undefined {
  return /^(?:arn:aws[\w-]*:(?:iam|sts)::)?(\d{12})(?::|$)/.exec(principal)?.[1];
}

function ownerOf(attributes: QueueAttributes): string | undefined {
  return attributes["QueueArn"]?.split(":")[4];
}

function refusesPlainHttp({ Effect, Condition }: Statement): boolean {
  return Effect === "Deny" && JSON.stringify(Condition ?? {}).includes('"aws:SecureTransport"');
}

/**
 * Whether the queue's policy refuses what a function sends. A refusal there is stronger than every permission of the
 * function's role. The role's own policies are not read: few operators may.
 */
export function sendFaults(
  attributes: QueueAttributes,
  functionName: string,
  role: string,
): readonly Verdict[] {
  const statements = statementsIn(attributes) ?? [];
  return statements
    .filter((one) => one.Effect === "Deny" && isAbout(one, role) && isOnSending(one))
    .flatMap((one) => refusalVerdicts(one, functionName, appliesTo(one, role)));
}

function refusalVerdicts(
  { Sid }: Statement,
  functionName: string,
  applies: Answer,
): readonly Verdict[] {
  if (applies === "no") return [];
  const what = `let ${functionName} send${Sid === undefined ? "" : ` (statement ${Sid})`}.`;
  return applies === "yes"
    ? [problem(`The queue's policy does not ${what}`, setBack)]
    : [warning(`The queue's policy does not always ${what}`, setBack)];
}

function isAbout(statement: Statement, role: string): boolean {
  const isWholeAccount = (one: string) => /^\d{12}$|:root$/.test(one);
  return principalsOf(statement).some(
    (one) =>
      one === "*" || one === role || (isWholeAccount(one) && accountOf(one) === accountOf(role)),
  );
}

function isOnSending({ Action, NotAction }: Statement): boolean {
  const has = (actions: readonly string[]) => isAnyLike(actions, "sqs:SendMessage");
  return NotAction === undefined ? has(Action) : !has(NotAction);
}

type Answer = "yes" | "no" | "unknown";

/** A statement applies if all its conditions hold. */
function appliesTo({ Condition = {} }: Statement, role: string): Answer {
  const answers = Object.entries(Condition).flatMap(([operator, tests]) =>
    Object.entries(tests).map(([key, values]) => holds(operator, key, values, role)),
  );
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

function holds(operator: string, key: string, values: readonly string[], role: string): Answer {
  const name = key.toLowerCase();
  // The functions use TLS.
  if (name === "aws:securetransport") return values.includes("false") ? "no" : "yes";
  const [, not] = /^(?:Arn|String)(Not)?(?:Like|Equals)$/.exec(operator) ?? ["", "unknown"];
  if (name !== "aws:principalarn" || not === "unknown") return "unknown";
  return isAnyLike(values, role) === (not === undefined) ? "yes" : "no";
}

/** With the wildcards of IAM. */
function isAnyLike(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    const source = escaped.replaceAll("*", ".*").replaceAll("?", ".");
    return new RegExp(`^${source}$`, "i").test(text);
  });
}
