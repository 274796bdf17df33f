import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/** All permissions of a function in one place: no managed policy, no grant made by a construct, and no wildcard. */
export function narrowPolicy(logs: LogGroup, permissions: readonly PolicyStatement[]) {
  const statements = [
    allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logs.logGroupArn]),
    ...permissions,
  ];
  return new PolicyDocument({ statements });
}

export function narrowRole(scope: Construct, permissions: PolicyDocument): Role {
  return new Role(scope, "Role", {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    inlinePolicies: { permissions },
  });
}
