import { Annotations } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { anyoneMaySend } from "../../shared/open-senders.ts";
import { functionsIn, type PaycastFunction } from "../lambda/paycast-function.ts";

interface GuardedQueue {
  queue: Queue;
  /** ARNs of roles that may send by hand. May contain wildcards. */
  operators: readonly string[];
}

/**
 * Consumers trust the events in their queues, so an IAM permission to send is not enough: only the functions whose role
 * names the queue, and operators, may send to it. When SQS itself moves dead-letter messages, it checks no queue
 * policy.
 */
export function guardSending(scope: Construct, queues: readonly GuardedQueue[]): void {
  const functions = functionsIn(scope);
  for (const { queue, operators } of queues) {
    const senders = functions.filter((paycastFunction) =>
      isAllowed(paycastFunction, "sqs:SendMessage", queue),
    );
    const known = [...senders.map(({ role }) => role.roleArn), ...operators];
    queue.addToResourcePolicy(denyAllExcept(known, "OnlyKnownSenders", ["sqs:SendMessage"], queue));
  }
}

/**
 * Only the functions of this queue may receive or delete its messages: even reading them by hand delays the order.
 * Attributes, the policy and the queue itself stay under IAM alone, so that the stack can be updated and deleted.
 */
export function guardReading(scope: Construct, queue: Queue): void {
  const readers = functionsIn(scope).filter((paycastFunction) =>
    isAllowed(paycastFunction, "sqs:ReceiveMessage", queue),
  );
  const roles = readers.map(({ role }) => role.roleArn);
  queue.addToResourcePolicy(denyAllExcept(roles, "OnlyItsFunctionReads", readingActions, queue));
}

const readingActions = [
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:PurgeQueue",
];

/** A warning, because the CDK command does not show lower levels. */
export function sayWhoMaySend(scope: Construct): void {
  Annotations.of(scope).addWarningV2("paycast:noOperators", anyoneMaySend);
}

function isAllowed({ permissions }: PaycastFunction, action: string, { queueArn }: Queue): boolean {
  return permissions.some(
    ({ actions, resources }) => actions.includes(action) && resources.includes(queueArn),
  );
}

/** A condition, because NotPrincipal does not match the sessions of a role. */
function denyAllExcept(
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
