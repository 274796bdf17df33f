import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import { bundleFunctions } from "../../infra/lambda/bundle.ts";
import { permissionsOf, synthesizeTemplate } from "./stack-template.ts";

const template = synthesizeTemplate();
const code = new Map<string, string>();

beforeAll(async () => {
  for (const { name, directory } of await bundleFunctions(functionNames)) {
    code.set(name, readFileSync(join(directory, "index.mjs"), "utf8"));
  }
});

/** Every operation of AWS that is left in a bundle: what nothing calls has been shaken out of it. */
function operationsIn(bundle: string): Set<string> {
  const commands = bundle.matchAll(/extends [\w$]+\([^()]*,"([A-Z]\w+)",[\w$]+\)\{\}/g);
  // The batch form of an SQS call needs the permission of the single one.
  const operations = new Set([...commands].map(([, name]) => name!.replace(/Batch$/, "")));
  // The DynamoDB client brings it along for the discovery of endpoints, which is off.
  operations.delete("DescribeEndpoints");
  if (operations.delete("TransactWriteItems")) {
    // A transaction needs the permissions of its parts.
    for (const [, part] of bundle.matchAll(/[{,](Put|Update|Delete):/g))
      operations.add(`${part}Item`);
    if (/[{,]ConditionCheck:/.test(bundle)) operations.add("ConditionCheckItem");
  }
  return operations;
}

/** What Lambda itself does on the function's behalf; the function may do some of it too. */
const byLambda = new Set([
  "logs:CreateLogStream",
  "logs:PutLogEvents",
  "xray:PutTraceSegments",
  "xray:PutTelemetryRecords",
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueAttributes",
]);

describe("least privilege", () => {
  test.each(functionNames)(
    "%s may call the operations that its code calls, and no others",
    (name) => {
      const called = operationsIn(code.get(name)!);
      const allowed = permissionsOf(template, name).flatMap((line) => {
        const action = line.split(" ")[1]!;
        const operation = action.split(":")[1]!;
        return byLambda.has(action) && !called.has(operation) ? [] : [operation];
      });
      expect(new Set(allowed)).toEqual(called);
    },
  );
});
