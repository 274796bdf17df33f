import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/**
 * What the access log says about a request. All of it is made by API Gateway: no address, path, query, header or body,
 * because these come from the caller. The message of a failed integration is left out too: it can quote the error of
 * the function. `functionRequestId` leads to the function's own lines.
 */
const fields = {
  requestId: "$context.requestId",
  time: "$context.requestTimeEpoch",
  route: "$context.routeKey",
  status: "$context.status",
  latency: "$context.responseLatency",
  error: "$context.error.responseType",
  lambdaStatus: "$context.integration.integrationStatus",
  functionStatus: "$context.integration.status",
  functionLatency: "$context.integration.latency",
  functionRequestId: "$context.integration.requestId",
};

/** One line for each request, also for those that reach no function: throttled, not signed, or failed in between. */
export function logAccess(scope: Construct, stage: CfnStage): LogGroup {
  const logGroup = new LogGroup(scope, "AccessLog", {
    // AWS writes here under a policy of the account. The policy has a limit of 5120 characters and lists each log group,
    // except those with this prefix.
    logGroupName: `/aws/vendedlogs/${Stack.of(scope).stackName}-access`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  stage.accessLogSettings = {
    destinationArn: logGroup.logGroupArn,
    format: JSON.stringify(fields),
  };
  return logGroup;
}
