import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { FunctionName } from "../config/function-names.ts";
import { outcomeMetric } from "./alarm.ts";

/** A shop with few orders never has three callbacks in a quarter of an hour. */
const period = Duration.hours(6);

interface Counted {
  readonly service: FunctionName;
  readonly outcome: string;
  /** Without it, callbacks of all merchants count. */
  readonly merchantId?: string;
  readonly label: string;
}

/** How often it happened in six hours, or 0 if a callback was accepted in the same time. */
export function countUnlessAccepted(scope: Construct, counted: Counted): MathExpression {
  const { service, outcome, label, ...ofMerchant } = counted;
  const options = { period, ...ofMerchant };
  return new MathExpression({
    expression: "IF(FILL(accepted, 0) == 0, FILL(counted, 0), 0)",
    usingMetrics: {
      counted: outcomeMetric(scope, service, outcome, options),
      accepted: outcomeMetric(scope, "receive-callback", "Accepted", options),
    },
    label: `${label}, and none accepted`,
    period,
  });
}
