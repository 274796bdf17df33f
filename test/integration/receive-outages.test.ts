import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { drain } from "./aws-stores.ts";
import { paymentCallback } from "./callbacks.ts";
import { type AwsError, to } from "./fault-proxy.ts";
import { eventsOf, logOf, post, pump } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let receiver: Instance;
beforeAll(async () => {
  world = await makeWorld();
  receiver = await world.start("receive-callback");
});
afterEach(async () => {
  receiver.faults.heal();
  await drain(world.sqs, world.inboxUrl);
});

const send = to("sqs", "SendMessage");
const notStored = {
  statusCode: 503,
  headers: { "content-type": "application/json" },
  body: '{"code":50300,"msg":"not stored, send it again"}',
};

const errors: AwsError[] = [
  { status: 400, type: "com.amazonaws.sqs#QueueDoesNotExist" },
  { status: 400, type: "com.amazonaws.sqs#RequestThrottled" },
  { status: 403, type: "AccessDeniedException" },
  { status: 500, type: "InternalFailure" },
  { status: 503, type: "ServiceUnavailable" },
];

describe("a callback that the inbox has not taken is answered 503, never 200", () => {
  test.each(errors)("when the inbox refuses it: $type", async (error) => {
    receiver.faults.fail(send, { kind: "refuse", error });
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
    expect(logOf(receiver).at(-1)).toMatchObject({
      outcome: "not-stored",
      reason: "inbox-unavailable",
      errorName: expect.stringContaining(error.type.replace(/^.*#/, "")),
      detail: "refused by the test",
      NotStored: 1,
    });
    receiver.faults.heal();
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
  });

  test.each(["stall", "cut"] as const)("when the inbox's answer is %s", async (kind) => {
    const before = receiver.faults.calls.filter(send).length;
    receiver.faults.fail(send, { kind });
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
    // Three attempts fit before the deadline.
    expect(receiver.faults.calls.filter(send).slice(before)).toHaveLength(3);
  });

  test("when nothing listens at the inbox's address", async () => {
    const AWS_ENDPOINT_URL_SQS = "http://127.0.0.1:1";
    const alone = await world.start("receive-callback", { AWS_ENDPOINT_URL_SQS });
    expect(await post(alone, paymentCallback(world))).toEqual(notStored);
  });
});

test.each(["cut", "stall"] as const)(
  "a first try that is %s costs nothing: a later one within the deadline stores the callback",
  async (kind) => {
    receiver.faults.fail(send, { kind }, { times: 1 });
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    expect(await drain(world.sqs, world.inboxUrl)).toHaveLength(1);
  },
);

test("a callback that was stored although its sender heard 503 is published once when it comes again", async () => {
  const processor = await world.start("process-callback");
  const envelope = paymentCallback(world, { referOrderNo: "LOST" });
  receiver.faults.fail(send, { kind: "lose-answer" });
  expect((await post(receiver, envelope)).statusCode).toBe(503);
  receiver.faults.heal();
  expect((await post(receiver, envelope)).statusCode).toBe(200);
  await pump(world, processor);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("a receiver that dies after the inbox took the callback loses nothing: it is published once", async () => {
  const victim = await world.start("receive-callback");
  const processor = await world.start("process-callback");
  const envelope = paymentCallback(world, { referOrderNo: "DEAD" });
  victim.faults.fail(send, { kind: "die-after" });
  const event = { body: JSON.stringify(envelope), isBase64Encoded: false };
  expect(await victim.invoke(event)).toEqual({ kind: "died" });
  expect((await post(receiver, envelope)).statusCode).toBe(200);
  await pump(world, processor);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});
