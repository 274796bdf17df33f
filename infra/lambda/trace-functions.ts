import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { allow } from "./narrow-role.ts";
import { PaycastFunction } from "./paycast-function.ts";

/** X-Ray records calls of the functions, as many as Lambda's own sampling chooses. Its actions have no resources to name. */
export function traceFunctions(scope: Construct): void {
  for (const construct of scope.node.findAll()) {
    if (!(construct instanceof PaycastFunction)) continue;
    const { defaultChild } = construct.lambda.node;
    if (defaultChild instanceof CfnFunction) defaultChild.tracingConfig = { mode: "Active" };
    construct.alsoAllow([allow(["xray:PutTraceSegments", "xray:PutTelemetryRecords"], ["*"])]);
  }
}
