import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import {
  FilterPattern,
  type JsonPattern,
  LogGroup,
  MetricFilter,
  RetentionDays,
} from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { graphPeriod, metricsNamespace } from "../alarms/alarm.ts";

/**
 * The fields of the access log. API Gateway creates all of them: no address, path, query, header or body, because these
 * come from the caller. The message of a failed integration is not included either, because it can quote the function's
 * error. `functionRequestId` leads to the function's own lines. A field without a value is a dash.
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

/** One line for each request, including those that reach no function: throttled, not signed, or failed on the way. */
export function logAccess(scope: Construct, stage: CfnStage): LogGroup {
  const logGroup = new LogGroup(scope, "AccessLog", {
    // AWS writes here under an account policy. It is limited to 5120 characters and lists each log group, except those
    // with this prefix.
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

/** A line matches if the field has this text. An asterisk at its end stands for any further characters. */
export function fieldIs(field: keyof typeof fields, text: string): JsonPattern {
  return FilterPattern.stringValue(`$.${field}`, "=", text);
}

export function fieldIsNot(field: keyof typeof fields, text: string): JsonPattern {
  return FilterPattern.stringValue(`$.${field}`, "!=", text);
}

/**
 * How many lines match. A line that does not match counts as 0, so all counts have data as soon as one of them has
 * (docs/decisions/0026-what-alarms-count.md).
 */
export function countLines(accessLog: LogGroup, metricName: string, pattern: JsonPattern): Metric {
  const filter = new MetricFilter(accessLog, metricName, {
    logGroup: accessLog,
    metricNamespace: metricsNamespace(accessLog),
    metricName,
    filterPattern: pattern,
    defaultValue: 0,
  });
  return filter.metric({ statistic: "Sum", period: graphPeriod });
}
