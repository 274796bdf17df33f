import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { type IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { PaycastFunction } from "./paycast-function.ts";

/**
 * A new version of the function gets one call in ten for five minutes, then all. If one of the alarms rings meanwhile,
 * all calls go to the old version again, and the deployment fails. Callers must call what is returned, not the function.
 */
export function rollOutGradually(
  scope: Construct,
  { lambda }: PaycastFunction,
  alarms: Alarm[],
): IFunction {
  const alias = lambda.addAlias("live");
  new LambdaDeploymentGroup(scope, "Rollout", {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms,
  });
  // By its ARN, because with exactOptionalPropertyTypes the library's Alias does not match its own interface.
  const { functionArn } = alias;
  return LambdaFunction.fromFunctionAttributes(scope, "Live", {
    functionArn,
    sameEnvironment: true,
  });
}
