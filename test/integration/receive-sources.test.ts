import { beforeAll, describe, expect, test } from "vitest";
import { paymentCallback } from "./callbacks.ts";
import { eventFrom } from "./capturing.ts";
import { type Answer, answerTo, logOf } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const json = { "content-type": "application/json" };

describe("with a list of addresses", () => {
  let world: World;
  let receiver: Instance;
  beforeAll(async () => {
    world = await makeWorld();
    const ALLOWED_SOURCES = JSON.stringify(["203.0.113.0/24"]);
    receiver = await world.start("receive-callback", { ALLOWED_SOURCES });
  });
  const send = (sourceIp: string, body: string): Promise<Answer> =>
    answerTo(receiver, eventFrom(sourceIp, body));

  test("a callback from one of them is stored", async () => {
    const answer = await send("203.0.113.80", JSON.stringify(paymentCallback(world)));
    expect(answer.statusCode).toBe(200);
  });

  test("an authentic callback from elsewhere is refused as 403, and nothing of it is read", async () => {
    const calls = receiver.faults.calls.length;
    const answers = [
      await send("192.0.2.44", JSON.stringify(paymentCallback(world))),
      await send("192.0.2.44", "not an envelope"),
    ];
    const body = '{"code":40300,"msg":"not from this address"}';
    expect(answers).toEqual(Array(2).fill({ statusCode: 403, headers: json, body }));
    expect(receiver.faults.calls).toHaveLength(calls);
    const line = logOf(receiver).at(-2);
    expect(line).toMatchObject({ outcome: "source-not-allowed", SourceNotAllowed: 1 });
    expect(JSON.stringify(line)).not.toMatch(/192\.0\.2|merchantId|claimed/i);
  });

  test("a header cannot make an address one of them", async () => {
    const headers = { ...json, "x-forwarded-for": "203.0.113.80", forwarded: "for=203.0.113.80" };
    const event = eventFrom("192.0.2.44", JSON.stringify(paymentCallback(world)));
    const answer = await answerTo(receiver, { ...event, headers });
    expect(answer.statusCode).toBe(403);
  });
});
