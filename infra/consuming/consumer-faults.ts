import { type Duration, Stack, Token } from "aws-cdk-lib";
import { Role } from "aws-cdk-lib/aws-iam";
import {
  Alias,
  CfnFunction,
  type IFunction,
  Function as LambdaFunction,
  Version,
} from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { visibilitySeconds } from "../config/subscriber-config.ts";
import type { PaycastConsumerProps } from "./paycast-queue.ts";

/** Lambda's own, if a function names none. */
const defaultTimeoutSeconds = 3;

/** A message that becomes visible while the function still works on it would be handled twice. */
export function timeoutFaults(props: PaycastConsumerProps): string[] {
  const timeout = timeoutSeconds(props);
  if (timeout === undefined) {
    return [
      "functionTimeout must be given: the function's own is not known before the deployment.",
    ];
  }
  const window = props.maxBatchingWindow?.toSeconds() ?? 0;
  const longest = props.queue.consumerTimeoutSeconds;
  const hidden = visibilitySeconds(longest);
  const needed = visibilitySeconds(timeout) + window;
  if (hidden >= needed) return [];
  return [
    `The queue hides a message for ${hidden} seconds, and this function needs ${needed}: six times its timeout of ` +
      `${timeout} seconds${window > 0 ? ` and the window of ${window}` : ""}. Shorten the timeout, or raise ` +
      `consumerTimeoutSeconds of the subscriber to ${Math.ceil(needed / 6)}.`,
  ];
}

/** What the function itself has, if it is known: `functionTimeout` could be another value by mistake. */
function timeoutSeconds({ functionTimeout, ...props }: PaycastConsumerProps): number | undefined {
  const made = madeHere(props.function);
  if (made !== undefined && made.timeout === undefined) return defaultTimeoutSeconds;
  return secondsOf(made?.timeout) ?? secondsOf(functionTimeout);
}

function secondsOf(duration: Duration | undefined): number | undefined {
  return duration === undefined || duration.isUnresolved() ? undefined : duration.toSeconds();
}

/** The function itself, also behind an alias or a version; undefined if it is imported. */
export function madeHere(target: IFunction): LambdaFunction | undefined {
  if (target instanceof Alias || target instanceof Version) return madeHere(target.lambda);
  return target instanceof LambdaFunction ? target : undefined;
}

/** Lambda refuses these, but only at the deployment. */
export function batchFaults({ queue, batchSize = 10, ...props }: PaycastConsumerProps): string[] {
  const window = props.maxBatchingWindow?.toSeconds();
  if (queue.ordered && window !== undefined) {
    return ["maxBatchingWindow must not be given: Lambda does not wait on an ordered queue."];
  }
  const most = queue.ordered || !window ? 10 : 10_000;
  const faults: string[] = [];
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > most) {
    const beyond = queue.ordered ? "on an ordered queue" : "without maxBatchingWindow";
    const limit = most === 10 ? `10 ${beyond}` : "10,000";
    faults.push(`batchSize must be a whole number from 1 to ${limit}.`);
  }
  if (window !== undefined && window > 300) {
    faults.push("maxBatchingWindow must be at most 5 minutes.");
  }
  return faults;
}

/** Permissions that are missing show only when the first event is not read. */
export function permissionFaults(props: PaycastConsumerProps): string[] {
  if (props.permissionsGrantedElsewhere || isChangeable(props.function)) return [];
  const { queue } = props.queue;
  const key = queue.encryptionMasterKey;
  const onKey = key ? `, and kms:Decrypt on ${key.keyArn}` : "";
  return [
    "The function's role cannot be changed here. Give it sqs:ReceiveMessage, sqs:DeleteMessage, " +
      `sqs:ChangeMessageVisibility and sqs:GetQueueAttributes on ${queue.queueArn}${onKey}, ` +
      "then set permissionsGrantedElsewhere.",
  ];
}

/** A role that is imported, or closed to updates, takes a permission without an error and does not get it. */
function isChangeable({ role }: IFunction): boolean {
  return role !== undefined && Role.isRole(role);
}

/** Lambda reads queues of its own region only; a queue of another account has to be named by its ARN. */
export function placeFaults(
  scope: Construct,
  { queue: { queue } }: PaycastConsumerProps,
): string[] {
  const here = Stack.of(scope);
  const faults: string[] = [];
  if (areDifferent(queue.env.region, here.region)) {
    faults.push(
      `The queue is in ${queue.env.region}, and Lambda reads only queues of its own region, ${here.region}.`,
    );
  }
  const isMadeHere = queue.node.root === scope.node.root && queue.node.defaultChild !== undefined;
  if (isMadeHere && areDifferent(queue.env.account, here.account)) {
    faults.push(
      "The queue is in another account. List this account in the subscriber's readers, and name the queue by importPaycastQueue.",
    );
  }
  return faults;
}

function areDifferent(one: string, other: string): boolean {
  return !Token.isUnresolved(one) && !Token.isUnresolved(other) && one !== other;
}

const leastConcurrency = 2;
const mostConcurrency = 1000;

/**
 * Lambda receives messages before it looks for a free instance. What it cannot start counts as received, and after ten
 * receives a message is a dead letter that no function has seen. `taken` is what other consumers of the same function use.
 */
export function concurrencyFaults(
  { maxConcurrency, ...props }: PaycastConsumerProps,
  taken: number,
): string[] {
  const reserved = reservedFor(props.function);
  if (reserved !== undefined && reserved < leastConcurrency) {
    return [
      "The function must reserve 2 instances or more, or none: Lambda reads with 2 at least.",
    ];
  }
  if (maxConcurrency !== undefined && !isPossible(maxConcurrency)) {
    return ["maxConcurrency must be a whole number from 2 to 1000."];
  }
  if (reserved === undefined) return [];
  const used = taken === 0 ? "" : `, and its other consumers use ${taken}`;
  const limit = `at most ${reserved - taken}: the function reserves ${reserved}${used}`;
  if (maxConcurrency === undefined) return [`maxConcurrency must be given, and ${limit}.`];
  if (maxConcurrency + taken <= reserved) return [];
  return [`maxConcurrency must be ${limit}. Lambda would throttle the batches beyond it.`];
}

function isPossible(concurrency: number): boolean {
  return (
    Number.isInteger(concurrency) &&
    concurrency >= leastConcurrency &&
    concurrency <= mostConcurrency
  );
}

function reservedFor(target: PaycastConsumerProps["function"]): number | undefined {
  const resource = madeHere(target)?.node.defaultChild;
  const reserved =
    resource instanceof CfnFunction ? resource.reservedConcurrentExecutions : undefined;
  return Token.isUnresolved(reserved) ? undefined : reserved;
}
