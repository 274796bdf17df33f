import { expect, test } from "vitest";
import { exitCodes } from "../../../cli/frame/command.ts";
import { runHere } from "../../cli/run-paycast.ts";
import * as small from "../../recovery/double/small-stacks.ts";
import { deploy, destroy } from "../../recovery/double/small-stacks.ts";
import { useAws } from "../../recovery/double/use-aws.ts";

const { aws, client } = useAws();
const kept = (...args: string[]) => runHere(["kept", ...args]);

function idsOf(name: string): string[] {
  return aws()
    .stacks.all.filter((stack) => stack.name === name)
    .map(({ id }) => id);
}

test("tells what a deleted stack left, each by the identifier that an import wants", async () => {
  const { table, queue, policy, secret, auditLog, role } = small;
  await deploy(client(), "left", {
    T: table,
    Q: queue,
    P: policy,
    S: secret,
    L: auditLog,
    R: role,
  });
  await destroy(client(), "left");
  const { out, err, code } = await kept("--stack", "left");
  const [stackId = ""] = idsOf("left");
  const physicalIds = aws().stacks.find(stackId).resources;
  expect(JSON.parse(out)).toEqual({
    T: { TableName: physicalIds.get("T")?.physicalId },
    Q: { QueueUrl: physicalIds.get("Q")?.physicalId },
    S: { Id: physicalIds.get("S")?.physicalId },
    L: { LogGroupName: physicalIds.get("L")?.physicalId },
  });
  expect(err).toBe(`Kept of ${stackId}: 4 resources.\n`);
  expect(code).toBe(exitCodes.success);
});

test("names what else was kept and cannot be part of the file", async () => {
  await deploy(client(), "with-bucket", { T: small.table, B: small.bucket });
  await destroy(client(), "with-bucket");
  const { out, err } = await kept("--stack", "with-bucket");
  expect(Object.keys(JSON.parse(out))).toEqual(["T"]);
  expect(err).toContain("Kept too, and left out here: B (AWS::S3::Bucket).\n");
});

test("answers no if nothing was kept", async () => {
  await deploy(client(), "disposable", { R: small.role });
  await destroy(client(), "disposable");
  expect(await kept("--stack", "disposable")).toMatchObject({
    out: "{}\n",
    code: exitCodes.negative,
  });
});

test("refuses a stack that exists, so that nobody imports into it", async () => {
  await deploy(client(), "living", { T: small.table });
  await destroy(client(), "living");
  await deploy(client(), "living", { T: small.table });
  const { out, err, code } = await kept("--stack", "living");
  expect(err).toContain(
    "The stack living exists (CREATE_COMPLETE), so there is nothing to import.",
  );
  expect({ out, code }).toEqual({ out: "", code: exitCodes.wrongInput });
});

test("lets a person choose between several deleted stacks of a name, newest first", async () => {
  for (const logicalId of ["First", "Second"]) {
    await deploy(client(), "twice", { [logicalId]: small.queue });
    await destroy(client(), "twice");
  }
  const [first = "", second = ""] = idsOf("twice");
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
