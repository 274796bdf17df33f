import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/** All logs but the audit log, which is kept for ten years. */
export function keepLogs(scope: Construct, retentionInDays: number): void {
  for (const construct of scope.node.findAll()) {
    const isAudit = construct.node.path.includes("/AuditLog/");
    if (construct instanceof CfnLogGroup && !isAudit) construct.retentionInDays = retentionInDays;
  }
}
