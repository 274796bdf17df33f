import { Annotations } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { anyoneMaySend } from "../../shared/open-senders.ts";
import { functionsIn, type PaycastFunction } from "../lambda/paycast-function.ts";

interface GuardedQueue {
  queue: Queue;
  /** ARNs of roles that may send by hand, with wildcards. */
  operators: readonly string[];
}

/**
 * Consumers trust the events in their queues, so a permission to send to SQS is not enough there: only the functions
 * whose role names the queue, and operators, may send to it. SQS itself moves dead letters, and asks no policy for it.
 */
export function guardSending(scope: Construct, queues: readonly GuardedQueue[]): void {
  const functions = functionsIn(scope);
  for (const { queue, operators } of queues) {
    const senders = functions.filter((paycastFunction) =>
      isAllowed(paycastFunction, "sqs:SendMessage", queue),
    );
    const known = [...senders.map(({ role }) => role.roleArn), ...operators];
    queue.addToResourcePolicy(refuseAllBut(known, "OnlyKnownSenders", ["sqs:SendMessage"], queue));
  }
}

/**
 * Nobody else has a reason to take messages out of this queue: not to look, since looking delays the order, nor to
 * delete. Attributes, the policy and the queue itself stay open to those whom IAM lets, so that the stack can be
 * updated and deleted.
 */
export function guardReading(scope: Construct, queue: Queue): void {
  const readers = functionsIn(scope).filter((paycastFunction) =>
    isAllowed(paycastFunction, "sqs:ReceiveMessage", queue),
  );
  const roles = readers.map(({ role }) => role.roleArn);
  queue.addToResourcePolicy(refuseAllBut(roles, "OnlyItsFunctionReads", readingActions, queue));
}

const readingActions = [
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:PurgeQueue",
];

/** A warning, because the CDK command shows no annotation below it. */
export function sayWhoMaySend(scope: Construct): void {
  Annotations.of(scope).addWarningV2("paycast:noOperators", anyoneMaySend);
}

function isAllowed({ permissions }: PaycastFunction, action: string, { queueArn }: Queue): boolean {
  return permissions.some(
    ({ actions, resources }) => actions.includes(action) && resources.includes(queueArn),
  );
}

/** By a condition, because NotPrincipal does not know the sessions of a role. */
function refuseAllBut(
  roleArns: readonly string[],
  sid: string,
  actions: string[],
  { queueArn }: Queue,
): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions,
    resources: [queueArn],
    conditions: { ArnNotLike: { "aws:PrincipalArn": roleArns } },
  });
}
