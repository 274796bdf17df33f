import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import type { PaycastFunction } from "./paycast-function.ts";

/**
 * Starts a function at a constant rate. A failed run is not retried, because the next one does the same work. By
 * default Lambda would retry it twice, and EventBridge would retry a tick that Lambda did not accept.
 */
export function runEvery(
  scope: Construct,
  { name, lambda }: PaycastFunction,
  milliseconds: number,
): void {
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  lambda.configureAsyncInvoke(once);
  new Rule(scope, "EveryMinute", {
    description: `Starts ${name}`,
    schedule: Schedule.rate(Duration.millis(milliseconds)),
    targets: [new LambdaTarget(lambda, once)],
  });
}
