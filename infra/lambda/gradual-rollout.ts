import { Duration } from "aws-cdk-lib";
import { Alarm, type AlarmProps, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { type IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { outcomeMetric } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses } from "../alarms/expressions.ts";
import type { PaycastFunction } from "./paycast-function.ts";

/**
 * A new version of receive-callback gets one call in ten for five minutes, then all. If one of its alarms goes off
 * meanwhile, all calls return to the old version and the deployment fails. Callers must call the returned alias, not
 * the function.
 */
export function rollOutGradually(scope: Construct, receiver: PaycastFunction): IFunction {
  const alias = receiver.lambda.addAlias("live");
  new LambdaDeploymentGroup(scope, "Rollout", {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: rollbackAlarms(scope, receiver),
  });
  // By its ARN, because with exactOptionalPropertyTypes the library's Alias does not match its own interface.
  const { functionArn } = alias;
  return LambdaFunction.fromFunctionAttributes(scope, "Live", {
    functionArn,
    sameEnvironment: true,
  });
}

/** These alarms end a deployment and notify nobody: other alarms do that. `check` recognises them by this text. */
const alarmDescription = "Ends a rollout of receive-callback. Notifies nobody.";

/** Forged callbacks cause neither alarm, so a stranger could stop a rollout only with a flood that Lambda throttles. */
function rollbackAlarms(scope: Construct, { lambda }: PaycastFunction): Alarm[] {
  const causes = {
    errors: { metric: lambda.metricErrors(), limit: limits.any },
    throttles: { metric: lambda.metricThrottles(), limit: limits.any },
  };
  const failures = countCauses(causes, "receive-callback: failed or throttled");
  const notStored = outcomeMetric(scope, "receive-callback", "NotStored");
  const options: Omit<AlarmProps, "metric"> = {
    threshold: limits.any,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription,
  };
  const period = Duration.minutes(5);
  return [
    new Alarm(scope, "RolloutErrors", { metric: failures.with({ period }), ...options }),
    new Alarm(scope, "RolloutNotStored", { metric: notStored.with({ period }), ...options }),
  ];
}
