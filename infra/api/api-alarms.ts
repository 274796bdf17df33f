import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { addAlarm, longPeriod, shareMetric } from "../alarms/alarm.ts";

/** Alarms on API Gateway's metrics, which include requests that never reached a function. */
export function addApiAlarms(scope: Construct, api: HttpApi): void {
  const options = { period: longPeriod, statistic: "Sum" };
  const requests = api.metricCount(options);
  addAlarm(scope, "ClientErrorsAlarm", {
    metric: shareMetric({
      part: "FILL(refused, 0)",
      whole: "FILL(requests, 0)",
      metrics: { refused: api.metricClientError(options), requests },
      // If a route's limit is reached, there are more requests than this: the smallest limit is 20 a second.
      fewest: 100,
      label: "requests answered with 4xx",
    }),
    // Strangers often try addresses, but they should not make more requests than real callers.
    threshold: 50,
    meaning: "Half or more of at least 100 requests got a status from 400 to 499.",
    action: "Check whether a route's limit was reached: a throttled request counts here too.",
    runbook: "client-errors",
  });
  addAlarm(scope, "ServerErrorsAlarm", {
    metric: shareMetric({
      part: "FILL(failed, 0)",
      whole: "FILL(requests, 0)",
      metrics: { failed: api.metricServerError(options), requests },
      fewest: 3,
      label: "requests answered with 5xx",
    }),
    // The same threshold as for each function. This alarm also counts failures of API Gateway itself.
    threshold: 25,
    meaning: "A quarter or more of the requests got a status of 500 or above.",
    action: "Look for other alarms first; without any, check API Gateway and Lambda.",
    runbook: "server-errors",
  });
}
