import { expect, test } from "vitest";
import { planSmoke } from "../../../operations/smoke/smoke.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { leftBehind } from "./smoke-run.ts";

const operated = useOperatedStack({ smoke: true });
const deployed = useDeployedStack(operated);
const smoke = async (...flags: string[]) =>
  await operated.paycast("smoke", "--stack", stackName, "--yes", ...flags);

test("a deployed stack passes; the audit line is in its log group and names the operator", async () => {
  const { code, out } = await smoke();
  expect(out).toMatch(
    /^result +passed\nstored after +\d+ ms, with request \d+\nevent after +\d+ ms more\n/,
  );
  expect(code).toBe(0);
  expect(deployed().audit).toMatchObject([
    { act: "smoke", who: "arn:aws:iam::000000000000:user/operator", merchantId: "paycast-smoke" },
  ]);
  expect(await leftBehind(operated.target())).toEqual([]);
});

test("a run that passes uses these permissions and no other", async () => {
  await smoke("--timeout", "100");
  expect([...new Set(deployed().calls)].sort()).toEqual([
    "cloudformation:DescribeStacks",
    "dynamodb:DeleteItem",
    "lambda:GetFunctionConfiguration",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "secretsmanager:PutSecretValue",
    "sqs:DeleteMessage",
    "sqs:ReceiveMessage",
    "sts:GetCallerIdentity",
  ]);
});

test("without a line in the audit log nothing is changed", async () => {
  deployed().denied.add("logs:PutLogEvents");
  const { code, err } = await smoke();
  expect(err).toContain("You lack the permission logs:PutLogEvents");
  expect(code).toBe(4);
  expect(deployed().calls).not.toContain("secretsmanager:PutSecretValue");
});

test("the missing permission to store keys is named", async () => {
  deployed().denied.add("secretsmanager:PutSecretValue");
  const { code, err } = await smoke();
  expect(err).toContain("You lack the permission secretsmanager:PutSecretValue");
  expect(code).toBe(4);
});

test("a stack without the merchant of smoke tests is refused, and the config field is named", () => {
  const target = { ...operated.target(), smoke: undefined };
  expect(() => planSmoke(target)).toThrow('Set "smoke": true in its config and deploy it.');
});
