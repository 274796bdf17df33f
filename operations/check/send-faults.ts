import { problem, type Verdict, warning } from "./finding.ts";
import type { QueueAttributes } from "./queue-attributes.ts";
import { accountOf, principalsOf, type Statement, setBack, statementsIn } from "./queue-policy.ts";

/**
 * Whether the queue's policy refuses what a function sends. A refusal there is stronger than every permission of the
 * function's role. The role's own policies are not read: few operators may.
 */
export function sendFaults(
  attributes: QueueAttributes,
  functionName: string,
  role: string,
): readonly Verdict[] {
  return statementsIn(attributes)
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
