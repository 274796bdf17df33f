import { expect, test } from "vitest";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import { readChanges } from "../../../../tools/operations/overview/read-changes.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const deployed = useDeployedStack(operated);
const hour = 3_600_000;
const agoOf = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
const minuteOf = (rfc3339: string) => `${rfc3339.slice(0, 16)}Z`;

const stackId = `arn:aws:cloudformation:us-east-1:000000000000:stack/${stackName}/1f2e`;
const stackEvent = (ResourceStatus: string, at: string, PhysicalResourceId = stackId) => ({
  StackId: stackId,
  EventId: at,
  StackName: stackName,
  PhysicalResourceId,
  ResourceStatus,
  Timestamp: at,
});

test("the local stack tells of its start and of what its audit log has, newest first", async () => {
  await operated.target().audit.write("keys-set", { merchantId: "shop-1" });
  await operated.target().audit.write("smoke", { merchantId: "shop-1" });
  const { changes } = await readChanges(operated.target());
  expect(changes.map(({ kind, text }) => [kind, text])).toEqual([
    ["audited", "keys of shop-1 set"],
    ["start", "stack started"],
  ]);
  const { out } = await operated.paycast("status");
  expect(out).toMatch(/^changes +keys of shop-1 set \d{4}-\d\d-\d\dT\d\d:\d\dZ$/m);
});

test("a deployed stack tells of deployments and of its audit log; what is older than a day is left out", async () => {
  const [deployedAt, failedAt, setAt] = [agoOf(3 * hour), agoOf(2 * hour), agoOf(hour)];
  deployed().events = [
    stackEvent("UPDATE_ROLLBACK_COMPLETE", failedAt),
    stackEvent("UPDATE_COMPLETE", failedAt, "a-queue"),
    stackEvent("UPDATE_IN_PROGRESS", deployedAt),
    stackEvent("UPDATE_COMPLETE", deployedAt),
    stackEvent("CREATE_COMPLETE", agoOf(25 * hour)),
  ];
  deployed().audit = [
    { at: setAt, who: "arn:aws:iam::1:user/a", act: "keys-restore", merchantId: "ShopEurope" },
    { at: agoOf(25 * hour), who: "somebody", act: "keys-set", merchantId: "ShopEurope" },
  ];
  const { out, code } = await operated.paycast("status", "--stack", stackName);
  expect(out).toContain(
    `keys of ShopEurope restored ${minuteOf(setAt)}, deployment failed, and was rolled back ${minuteOf(failedAt)}, deployed ${minuteOf(deployedAt)}\n`,
  );
  expect(code).toBe(0);
});

test("without the permission to read them, status says so, and the rest is there", async () => {
  deployed().denied.add("cloudformation:DescribeStackEvents").add("logs:FilterLogEvents");
  const { out, code } = await operated.paycast("status", "--stack", stackName);
  expect(out).toMatch(/^Changes of the last day cannot be read: .*DescribeStackEvents/m);
  expect(out).toMatch(/^inbox +0 waiting$/m);
  expect(code).toBe(0);
  const target = await findTarget({ stack: stackName, directory: operated.directory });
  expect((await readChanges(target)).changesProblem).toContain("DescribeStackEvents");
  target.close();
});
