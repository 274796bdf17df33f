import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/** What operators changed, and who they were. Operators write here with their own credentials; no function may. */
export function makeAuditLog(scope: Construct): LogGroup {
  const log = new LogGroup(scope, "AuditLog", { retention: RetentionDays.TEN_YEARS });
  // Only a failed first deployment deletes it, while it is empty.
  log.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  return log;
}
