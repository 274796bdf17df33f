import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { useOperatedStack } from "../../operations/operated-stack.ts";

const operated = useOperatedStack({}, 1);
const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;
const jump = (seconds: number) =>
  operated.shop().control("POST", "/clock", { jumpSeconds: seconds });
const now = async () => Date.parse((await operated.shop().control("GET", "/clock")).now);

test("callbacks, creates and queries go on after a jump of days: both sides have the same time", async () => {
  await jump(9 * daySeconds);
  expect((await now()) - Date.now()).toBeGreaterThan(8.9 * daySeconds * 1_000);
  const { status, body } = await operated.shop().create("LATER");
  expect(status).toBe(201);
  expect(operated.printed().join("\n")).toContain("LATER");
  expect(operated.printedAtMilliseconds()).toBeGreaterThan(Date.now() + 8.9 * daySeconds * 1_000);
  await operated.shop().act(body.paymentId, "pay");
  await jump(5);
  expect(await operated.shop().get("LATER")).toMatchObject({
    order: { status: "success", statusOrigin: "callback" },
  });
});

test("a jump lets the reconciliation find what a lost callback hid", async () => {
  const { body } = await operated.shop().create("LOST");
  await operated.shop().fault("lose", "LOST");
  await operated.shop().act(body.paymentId, "pay");
  await jump(2 * hourSeconds);
  await operated.untilStored("LOST", "success");
  const { out } = await operated.paycast("order", "LOST");
  expect(out).toContain("last query   the service reported a new status");
});

test("a record whose time is over is gone after the jump", async () => {
  await operated.paidOrder("OLD");
  const { tables } = operated.stack().description;
  const records = async () => {
    const { Items = [] } = await operated
      .clients()
      .dynamodb.send(new ScanCommand({ TableName: tables.callbacks }));
    return Items.filter((item) => JSON.stringify(item).includes("OLD")).length;
  };
  expect(await records()).toBeGreaterThan(0);
  await jump(366 * daySeconds);
  expect(await records()).toBe(0);
});
