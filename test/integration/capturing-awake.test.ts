import { afterEach, describe, expect, test } from "vitest";
import { paymentCallback } from "./callbacks.ts";
import { captured, forgedCallback, sendsBy, startCapturing, waitForCaptures } from "./capturing.ts";
import { startExtensionsApi } from "./extensions-api.ts";
import { sendTo } from "./fault-proxy.ts";
import { post, waitUntil } from "./flow.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();

const apis: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const api of apis.splice(0)) await api.stop();
});

async function startUnder(world: World, ...registering: Parameters<typeof startExtensionsApi>) {
  const lambda = await startExtensionsApi(...registering);
  apis.push(lambda);
  const capturing = await startCapturing(world, { AWS_LAMBDA_RUNTIME_API: lambda.runtimeApi });
  const hasAsked = (times: number) => waitUntil(async () => lambda.asked() >= times);
  return { lambda, hasAsked, ...capturing };
}

const mostStarts = 3;

/**
 * An instance that is registered, and so asks for its first invocation. A start has half a second to register. A busy
 * machine may use it up, and no test here means that: then another instance is started.
 */
async function startLambda(world: World) {
  for (let starts = 1; ; starts += 1) {
    const started = await startUnder(world);
    const isRegistered = await isSoonSo(() => started.lambda.asked() > 0);
    if (isRegistered || starts === mostStarts) return started;
  }
}

async function isSoonSo(isSo: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 100 && !isSo(); tries += 1) {
    await new Promise((done) => setTimeout(done, 50));
  }
  return isSo();
}

function gate() {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, until };
}

describe("an instance that captures, on Lambda", () => {
  test("registers for invocations alone while it starts, and then asks for the first", async () => {
    const { lambda, hasAsked } = await startLambda(await makeWorld());
    await hasAsked(1);
    expect(lambda.calls).toEqual([
      {
        path: "POST /2020-01-01/extension/register",
        name: "paycast-capture",
        identifier: undefined,
        body: '{"events":["INVOKE"]}',
      },
      {
        path: "GET /2020-01-01/extension/event/next",
        name: undefined,
        identifier: "extension-1",
        body: "",
      },
    ]);
  });

  test("does not register if it does not capture", async () => {
    const world = await makeWorld();
    const lambda = await startExtensionsApi();
    apis.push(lambda);
    const AWS_LAMBDA_RUNTIME_API = lambda.runtimeApi;
    const plain = await world.start("receive-callback", { AWS_LAMBDA_RUNTIME_API });
    expect((await post(plain, paymentCallback(world))).statusCode).toBe(200);
    await startCapturing(world, { AWS_LAMBDA_RUNTIME_API, CAPTURE_UNTIL_MILLISECONDS: "1" });
    expect(lambda.calls).toEqual([]);
  });

  test("answers, sends the capture, and only then asks for the next invocation", async () => {
    const world = await makeWorld();
    const { lambda, receiver, queueUrl, hasAsked } = await startLambda(world);
    const { open, until } = gate();
    receiver.faults.fail(sendTo(queueUrl), { kind: "hold", until });
    await hasAsked(1);
    lambda.tellInvoke("request-1");
    expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
    await waitUntil(async () => sendsBy(receiver, queueUrl) > 0);
    expect(lambda.asked()).toBe(1);
    open();
    await hasAsked(2);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });

  test("also if it hears of the invocation only when the answer is out", async () => {
    const world = await makeWorld();
    const { lambda, receiver, queueUrl, hasAsked } = await startLambda(world);
    const { open, until } = gate();
    receiver.faults.fail(sendTo(queueUrl), { kind: "hold", until });
    await hasAsked(1);
    expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
    await waitUntil(async () => sendsBy(receiver, queueUrl) > 0);
    lambda.tellInvoke("request-1");
    // Time to ask too early, if it did.
    await new Promise((done) => setTimeout(done, 100));
    expect(lambda.asked()).toBe(1);
    open();
    await hasAsked(2);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });

  test("asks at once when there is nothing to capture, one invocation after the other", async () => {
    const world = await makeWorld();
    const { lambda, receiver, queueUrl, hasAsked } = await startLambda(world);
    for (const round of [1, 2, 3]) {
      await hasAsked(round);
      if (round === 2) {
        // Told before the handler runs, and after it in the other rounds.
        lambda.tellInvoke(`request-${round}`);
        await post(receiver, forgedCallback(world));
      } else {
        await post(receiver, paymentCallback(world));
        lambda.tellInvoke(`request-${round}`);
      }
    }
    await hasAsked(4);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });

  test("gives up on a queue that hangs, and captures again in the next invocation", async () => {
    const world = await makeWorld();
    const { lambda, receiver, queueUrl, hasAsked } = await startLambda(world);
    receiver.faults.fail(sendTo(queueUrl), { kind: "stall" });
    await hasAsked(1);
    lambda.tellInvoke("request-1");
    expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
    await hasAsked(2);
    receiver.faults.heal();
    receiver.advance(5 * 60_000);
    lambda.tellInvoke("request-2");
    expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
    await hasAsked(3);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });

  test("asks again if its connection breaks", async () => {
    const world = await makeWorld();
    const { lambda, receiver, queueUrl, hasAsked } = await startLambda(world);
    await hasAsked(1);
    lambda.breakOff();
    await hasAsked(2);
    lambda.tellInvoke("request-1");
    await post(receiver, forgedCallback(world));
    await hasAsked(3);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });
});

describe("an instance that cannot register", () => {
  test.each(["refuse", "hang"] as const)(
    "answers and captures all the same (%s)",
    async (registering) => {
      const world = await makeWorld();
      const { lambda, receiver, queueUrl } = await startUnder(world, registering);
      expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
      expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
      await waitForCaptures(receiver, 1);
      expect(await captured(world, queueUrl)).toHaveLength(1);
      expect(lambda.asked()).toBe(0);
    },
  );

  test("fetches its keys only then: beside it, that work would use up the time for the registration", async () => {
    const world = await makeWorld();
    const lambda = await startExtensionsApi("hang");
    apis.push(lambda);
    const environment = { AWS_LAMBDA_RUNTIME_API: lambda.runtimeApi };
    let callsBefore: number | undefined;
    await startCapturing(world, environment, ({ calls }) =>
      lambda.whenHungUp(() => {
        callsBefore = calls.length;
      }),
    );
    expect(callsBefore).toBe(0);
  });

  test("because nobody listens there answers and captures all the same", async () => {
    const world = await makeWorld();
    const AWS_LAMBDA_RUNTIME_API = "127.0.0.1:1";
    const { receiver, queueUrl } = await startCapturing(world, { AWS_LAMBDA_RUNTIME_API });
    expect((await post(receiver, forgedCallback(world))).statusCode).toBe(401);
    await waitForCaptures(receiver, 1);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  });
});
