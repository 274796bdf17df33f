import { expect, test } from "vitest";
import { exitCodes } from "../../../../tools/cli/frame/command.ts";
import { runHere } from "../../cli/run-paycast.ts";
import { useListedStacks } from "./listed-stacks.ts";

const { add } = useListedStacks();
const kept = (...args: string[]) => runHere(["kept", ...args]);

const skipped = "DELETE_SKIPPED";
const table = ["AWS::DynamoDB::Table", skipped] as const;
const queue = ["AWS::SQS::Queue", skipped] as const;
const role = ["AWS::IAM::Role", "DELETE_COMPLETE"] as const;

test("tells what a deleted stack left, each by the identifier that an import wants", async () => {
  const stackId = add({
    name: "left",
    resources: {
      T: table,
      Q: queue,
      R: role,
      P: ["AWS::SQS::QueuePolicy", skipped],
      S: ["AWS::SecretsManager::Secret", skipped],
      L: ["AWS::Logs::LogGroup", skipped],
    },
  });
  const { out, err, code } = await kept("--stack", "left");
  expect(JSON.parse(out)).toEqual({
    T: { TableName: "T-1" },
    Q: { QueueUrl: "Q-1" },
    S: { Id: "S-1" },
    L: { LogGroupName: "L-1" },
  });
  expect(err).toBe(`Kept of ${stackId}: 4 resources.\n`);
  expect(code).toBe(exitCodes.success);
});

test("names what else was kept and cannot be part of the file", async () => {
  add({ name: "with-bucket", resources: { T: table, B: ["AWS::S3::Bucket", skipped] } });
  const { out, err } = await kept("--stack", "with-bucket");
  expect(Object.keys(JSON.parse(out))).toEqual(["T"]);
  expect(err).toContain("Kept too, and left out here: B (AWS::S3::Bucket).\n");
});

test("answers no if nothing was kept", async () => {
  add({ name: "disposable", resources: { R: role } });
  expect(await kept("--stack", "disposable")).toMatchObject({
    out: "{}\n",
    code: exitCodes.negative,
  });
});

test("refuses a stack that exists, so that nobody imports into it", async () => {
  add({ name: "living", resources: { T: table } });
  add({ name: "living", status: "CREATE_COMPLETE", resources: { T: table } });
  const { out, err, code } = await kept("--stack", "living");
  expect(err).toContain(
    "The stack living exists (CREATE_COMPLETE), so there is nothing to import.",
  );
  expect({ out, code }).toEqual({ out: "", code: exitCodes.wrongInput });
});

test("passes over the empty stack that a refused import leaves", async () => {
  add({ name: "refused", resources: { T: table } });
  add({ name: "refused", status: "REVIEW_IN_PROGRESS", resources: {} });
  const { out } = await kept("--stack", "refused");
  expect(Object.keys(JSON.parse(out))).toEqual(["T"]);
});

test("lets a person choose between several deleted stacks of a name, newest first", async () => {
  const first = add({ name: "twice", resources: { First: queue } });
  const second = add({ name: "twice", resources: { Second: queue } });
  const { err, code } = await kept("--stack", "twice");
  expect(err).toMatch(/2 stacks twice were deleted.*\n.*from \d{4}-.*Z to \d{4}-.*Z\n/);
  expect(err.indexOf(second)).toBeLessThan(err.indexOf(first));
  expect(code).toBe(exitCodes.wrongInput);
  const { out } = await kept("--stack", first);
  expect(Object.keys(JSON.parse(out))).toEqual(["First"]);
});

test("says that CloudFormation does not know the stack, or that the name is missing", async () => {
  expect((await kept("--stack", "never-there")).err).toContain(
    "No stack never-there was deleted in this account and region in the last 90 days.",
  );
  expect(await kept()).toMatchObject({ code: exitCodes.wrongInput, out: "" });
});
