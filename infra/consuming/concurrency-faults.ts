import { Token } from "aws-cdk-lib";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { madeHere } from "./consumer-faults.ts";
import type { PaycastConsumerProps } from "./paycast-consumer.ts";

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
