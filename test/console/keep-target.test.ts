import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, expect, test, vi } from "vitest";
import { type FindTarget, keepTarget } from "../../console/start-console.ts";
import { findTarget } from "../../operations/target/find-target.ts";
import { stackName, useDeployedStack } from "../operations/deployed-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";

const operated = useOperatedStack();
const deployed = useDeployedStack(operated);
const later = 6 * 60_000;
const findStack: FindTarget = (clients) =>
  findTarget({ stack: stackName, directory: operated.directory, clients });

afterEach(() => vi.restoreAllMocks());

test("a deployed stack that is found again is reached over the same connections, which end with the console", async () => {
  const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
  let now = 0;
  const stack = keepTarget(findStack, () => now);
  const first = await stack.target();
  deployed().outputs.set("Version", "9.9.9");
  expect((await stack.target()).version).toBe("0.1.0");
  now += later;
  const second = await stack.target();
  expect(second.version).toBe("9.9.9");
  expect(second.clients).toBe(first.clients);
  expect(destroyed).not.toHaveBeenCalled();
  await stack.forget();
  expect(destroyed).toHaveBeenCalledOnce();
});

test("a stack that cannot be found leaves no connection open", async () => {
  const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
  const stack = keepTarget(findStack);
  deployed().outputs.delete("ApiUrl");
  await expect(stack.target()).rejects.toMatchObject({ code: "target-incomplete" });
  expect(destroyed).toHaveBeenCalledOnce();
});

test("a stack that is gone for a while is reached over the connections that it had", async () => {
  const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
  let now = 0;
  const stack = keepTarget(findStack, () => now);
  const { clients } = await stack.target();
  now += later;
  deployed().denied.add("cloudformation:DescribeStacks");
  await expect(stack.target()).rejects.toThrow();
  deployed().denied.clear();
  expect((await stack.target()).clients).toBe(clients);
  expect(destroyed).not.toHaveBeenCalled();
  await stack.forget();
});
