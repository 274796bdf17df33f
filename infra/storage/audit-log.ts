import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/** What operators changed, and who they were. Operators write here with their own credentials; no function may. */
export function makeAuditLog(scope: Construct): LogGroup {
  return new LogGroup(scope, "AuditLog", {
    retention: RetentionDays.TEN_YEARS,
    // Also if the first deployment fails: the policy of deployments does not let CloudFormation delete it.
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
