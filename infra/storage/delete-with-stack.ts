import { CfnResource, RemovalPolicy } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";

/** DynamoDB would keep a backup of a deleted table for 35 days if the table could be restored. */
function letGo(table: CfnTable): void {
  table.deletionProtectionEnabled = false;
  table.pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: false };
}

/** For stacks that hold nothing of value: all that is kept otherwise is deleted with them. */
export function deleteWithStack(scope: Construct): void {
  for (const construct of scope.node.findAll()) {
    if (construct instanceof CfnTable) letGo(construct);
    if (CfnResource.isCfnResource(construct)) construct.applyRemovalPolicy(RemovalPolicy.DESTROY);
  }
}
