import { faultIf, problem, type Verdict, warning } from "./finding.ts";
import {
  type Answer,
  accountOf,
  appliesTo,
  isAbout,
  isOnAction,
  ownerOf,
  principalsOf,
  refusesStrangers,
  type Statement,
  statementsIn,
} from "./policy-statements.ts";
import type { QueueAttributes } from "./queue-attributes.ts";

/** What a consumer in another account needs. Anything else would let it change what others read. */
const readerActions =
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$/i;

const setBack = "Remove the statement from the queue's policy, or deploy the stack again.";

/** What the template's policy says of a queue. */
export interface PolicyNeeds {
  readonly mayHaveReaders: boolean;
  /** Whether only the functions and the operators may send to it. */
  readonly hasKnownSenders: boolean;
  /** Whether only its function may receive from it. */
  readonly hasOneReader: boolean;
}

/** Everybody who may do more by this policy than by the template's. */
export function policyFaults(attributes: QueueAttributes, needs: PolicyNeeds): readonly Verdict[] {
  const statements = statementsIn(attributes);
  if (statements === undefined) {
    const { Policy: text } = attributes;
    const message = text ? "The queue's policy cannot be read." : "The queue has no policy.";
    return [warning(`${message} It should refuse requests without TLS.`, setBack)];
  }
  const plainHttp = warning("The queue's policy does not refuse requests without TLS.", setBack);
  const refuses = (action: string) => statements.some((one) => refusesStrangers(one, action));
  const { mayHaveReaders, hasKnownSenders, hasOneReader } = needs;
  return [
    ...statements.flatMap((one) => statementFaults(one, ownerOf(attributes), mayHaveReaders)),
    ...faultIf(!statements.some(refusesPlainHttp), plainHttp),
    ...faultIf(hasKnownSenders && !refuses("sqs:SendMessage"), sentByAnybody),
    ...faultIf(hasOneReader && !takingActions.every(refuses), takenByAnybody),
  ];
}

const takingActions = [
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:PurgeQueue",
];

const sentByAnybody = problem(
  "Everybody in the account with a permission to send to SQS can send to the queue.",
  "Deploy the stack again: its template refuses all but the functions and the operators.",
);

const takenByAnybody = problem(
  "Everybody in the account with a permission to receive from SQS can take messages out of the queue.",
  "Deploy the stack again: its template refuses all but the function that reads the queue.",
);

/** Whom the policy lets send to the queue, as far as IAM allows it. Undefined if it does not say. */
export function sendersIn(attributes: QueueAttributes): readonly string[] | undefined {
  const refusal = statementsIn(attributes)?.find((one) => refusesStrangers(one, "sqs:SendMessage"));
  return refusal && (refusal.Condition?.["ArnNotLike"]?.["aws:PrincipalArn"] ?? []);
}

/** The other accounts that may read the queue. */
export function readersIn(attributes: QueueAttributes): readonly string[] {
  const allowed = statementsIn(attributes)?.filter(({ Effect }) => Effect === "Allow") ?? [];
  const accounts = allowed.flatMap(principalsOf).flatMap((one) => accountOf(one) ?? []);
  return [...new Set(accounts)].filter((account) => account !== ownerOf(attributes));
}

/** The operators that are roles of another account: no policy lets them send. */
export function foreignOperators(
  attributes: QueueAttributes,
  operators: readonly string[],
): readonly string[] {
  const owner = ownerOf(attributes);
  return operators.filter((operator) => accountOf(operator) !== owner);
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

function refusesPlainHttp({ Effect, Condition }: Statement): boolean {
  return Effect === "Deny" && JSON.stringify(Condition ?? {}).includes('"aws:SecureTransport"');
}

/** A function that uses a queue. */
export interface QueueUser {
  readonly functionName: string;
  readonly role: string;
  readonly does: "send" | "receive";
}

const actionOf = { send: "sqs:SendMessage", receive: "sqs:ReceiveMessage" } as const;

/**
 * Whether the queue's policy refuses what a function does. A refusal there is stronger than every permission of the
 * function's role. The role's own policies are not read: few operators may.
 */
export function useFaults(attributes: QueueAttributes, user: QueueUser): readonly Verdict[] {
  const statements = statementsIn(attributes) ?? [];
  const isMeant = (one: Statement) =>
    one.Effect === "Deny" && isAbout(one, user.role) && isOnAction(one, actionOf[user.does]);
  return statements
    .filter(isMeant)
    .flatMap((one) => refusalVerdicts(one, user, appliesTo(one, user.role)));
}

function refusalVerdicts(
  { Sid }: Statement,
  { functionName, does }: QueueUser,
  applies: Answer,
): readonly Verdict[] {
  if (applies === "no") return [];
  const what = `let ${functionName} ${does}${Sid === undefined ? "" : ` (statement ${Sid})`}.`;
  return applies === "yes"
    ? [problem(`The queue's policy does not ${what}`, setBack)]
    : [warning(`The queue's policy does not always ${what}`, setBack)];
}
