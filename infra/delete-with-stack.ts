import { CfnResource, RemovalPolicy } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";

/** For stacks that hold nothing of value: all that is kept otherwise is deleted with them. */
export function deleteWithStack(scope: Construct): void {
  for (const construct of scope.node.findAll()) {
    if (construct instanceof CfnTable) construct.deletionProtectionEnabled = false;
    if (CfnResource.isCfnResource(construct)) construct.applyRemovalPolicy(RemovalPolicy.DESTROY);
  }
}
