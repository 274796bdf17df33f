import { CfnResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Config } from "./config/config-schema.ts";
import { callsService } from "./config/function-names.ts";
import { allow, functionsIn } from "./lambda/paycast-function.ts";

/**
 * Attaches the functions that call the payment service to a network of the account, whose gateway has a fixed address.
 * receive-callback stays outside: it calls only AWS, and a network failure must not stop callbacks.
 */
export function fixEgress(scope: Construct, egress: NonNullable<Config["egress"]>): void {
  const { subnetIds, securityGroupIds } = egress;
  for (const paycastFunction of functionsIn(scope).filter(({ name }) => callsService(name))) {
    const { defaultChild } = paycastFunction.lambda.node;
    if (defaultChild instanceof CfnFunction) {
      defaultChild.vpcConfig = { subnetIds, securityGroupIds };
    }
    paycastFunction.alsoAllow(networkPermissions(scope));
  }
}

/** Lambda attaches the function to the network with the function's role. The function's own code may not do it. */
function networkPermissions(scope: Construct): PolicyStatement[] {
  const actions = [
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
  ];
  const functions = Stack.of(scope).formatArn({ service: "lambda", resource: "function:*" });
  const deny = new PolicyStatement({
    effect: Effect.DENY,
    actions,
    resources: ["*"],
    conditions: { ArnLike: { "lambda:SourceFunctionArn": functions } },
  });
  return [allow(actions, ["*"]), deny];
}

/** Applies to all logs except the audit log, which is kept for ten years. */
export function keepLogs(scope: Construct, retentionInDays: number): void {
  for (const construct of scope.node.findAll()) {
    const isAudit = construct.node.path.includes("/AuditLog/");
    if (construct instanceof CfnLogGroup && !isAudit) construct.retentionInDays = retentionInDays;
  }
}

/** X-Ray records as many calls as Lambda's sampling chooses. Its actions have no resources to name. */
export function traceFunctions(scope: Construct): void {
  for (const paycastFunction of functionsIn(scope)) {
    const { defaultChild } = paycastFunction.lambda.node;
    if (defaultChild instanceof CfnFunction) defaultChild.tracingConfig = { mode: "Active" };
    paycastFunction.alsoAllow([
      allow(["xray:PutTraceSegments", "xray:PutTelemetryRecords"], ["*"]),
    ]);
  }
}

/** For stacks without valuable data: everything that is usually retained is deleted with the stack. */
export function deleteWithStack(scope: Construct): void {
  for (const construct of scope.node.findAll()) {
    if (construct instanceof CfnTable) letGo(construct);
    if (CfnResource.isCfnResource(construct)) construct.applyRemovalPolicy(RemovalPolicy.DESTROY);
  }
}

/** DynamoDB keeps a backup of a deleted table for 35 days if point-in-time recovery is on. */
function letGo(table: CfnTable): void {
  table.deletionProtectionEnabled = false;
  table.pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: false };
}
