import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import * as z from "zod";
import { PaycastFunction } from "./paycast-function.ts";

/** What CloudWatch Logs accepts. */
const days = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

export const logRetentionSchema = z
  .int()
  .refine((value) => days.includes(value), `must be one of ${days.join(", ")}`)
  .default(90);

/** The audit log is not meant: it is kept for ten years. */
export function keepLogs(scope: Construct, retentionInDays: number): void {
  const functions = scope.node
    .findAll()
    .filter((construct) => construct instanceof PaycastFunction);
  for (const construct of functions.flatMap(({ node }) => node.findAll())) {
    if (construct instanceof CfnLogGroup) construct.retentionInDays = retentionInDays;
  }
}
