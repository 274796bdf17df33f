import { Annotations } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { functionsIn, type PaycastFunction } from "../lambda/paycast-function.ts";

interface GuardedQueue {
  queue: Queue | undefined;
  /** ARNs of roles that may send by hand, with wildcards. */
  operators: readonly string[];
}

/**
 * A message in a queue counts as authentic, so a permission to send to SQS is not enough: only the functions whose role
 * names the queue, and operators, may send to it. SQS itself moves dead letters, and asks no policy for it.
 */
export function guardQueues(scope: Construct, queues: readonly GuardedQueue[]): void {
  const functions = functionsIn(scope);
  for (const { queue, operators } of queues) {
    if (queue === undefined) continue;
    const senders = functions.filter((one) => sendsTo(one, queue)).map(({ role }) => role.roleArn);
    queue.addToResourcePolicy(refuseAllBut([...senders, ...operators], queue));
  }
}

export function warnWithoutOperators(scope: Construct, operators: readonly string[]): void {
  if (operators.length > 0) return;
  Annotations.of(scope).addWarningV2(
    "paycast:noOperators",
    "Nobody may redrive or replay: the queues accept messages from the functions alone. List the roles of your operators in operators (docs/configuration.md).",
  );
}

function sendsTo({ permissions }: PaycastFunction, { queueArn }: Queue): boolean {
  return permissions.some(
    ({ actions, resources }) => actions.includes("sqs:SendMessage") && resources.includes(queueArn),
  );
}

/** By a condition, because NotPrincipal does not know the sessions of a role. */
function refuseAllBut(roleArns: readonly string[], { queueArn }: Queue): PolicyStatement {
  return new PolicyStatement({
    sid: "OnlyKnownSenders",
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ["sqs:SendMessage"],
    resources: [queueArn],
    ...(roleArns.length > 0 && {
      conditions: { ArnNotLike: { "aws:PrincipalArn": roleArns } },
    }),
  });
}
