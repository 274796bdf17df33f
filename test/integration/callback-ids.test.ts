import { beforeAll, describe, expect, test } from "vitest";
import { keyOfId } from "../../shared/envelope/deduplication.ts";
import { type EnvelopeOptions, paymentCallback } from "./callbacks.ts";
import { eventsOf, logOf, post, pump, quarantined, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const guid = "6F1C2F0E-3B5E-4C59-9D3C-0C6A7B1F2D11";

let world: World;
let receiver: Instance;
let processor: Instance;
let orders = 0;
beforeAll(async () => {
  world = await makeWorld();
  receiver = await world.start("receive-callback");
  processor = await world.start("process-callback");
});

/** Sends a callback of a new order through both functions. */
async function send(options: EnvelopeOptions) {
  orders += 1;
  const referOrderNo = `IDS-${orders}`;
  const envelope = paymentCallback(world, { referOrderNo }, options);
  const { statusCode } = await post(receiver, envelope);
  await pump(world, processor);
  return { statusCode, envelope, events: await eventsOf(world, "books"), referOrderNo };
}

describe("a signed callback", () => {
  test.each<[kind: string, id: string | number, kept: string, logged: string]>([
    ["a GUID", guid, guid, guid],
    ["a number", 12345, "12345", keyOfId("12345")],
    ["a GUID in braces", `{${guid}}`, `{${guid}}`, keyOfId(`{${guid}}`)],
    ["any text", "n° 7\n\u0000 #x", "n° 7\n\u0000 #x", keyOfId("n° 7\n\u0000 #x")],
    ["256 characters long", "x".repeat(256), "x".repeat(256), keyOfId("x".repeat(256))],
  ])("whose id is %s is recorded and published with it, once", async (_case, id, kept, logged) => {
    const { statusCode, envelope, events, referOrderNo } = await send({ id });
    expect(statusCode).toBe(200);
    expect(events.map(({ data }) => data.callbackId)).toEqual([kept]);
    const ofOrder = (await records(world)).filter(({ message }) =>
      String(message).includes(referOrderNo),
    );
    expect(ofOrder).toMatchObject([
      { callbackKey: expect.stringContaining(`#callback#${keyOfId(kept)}`), callbackId: kept },
    ]);
    expect(logOf(receiver).at(-1)).toMatchObject({ outcome: "accepted", callbackId: logged });
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "published", callbackId: logged });
    // The inbox drops repeats for five minutes, so the repeat is processed by hand.
    expect((await post(receiver, envelope)).statusCode).toBe(200);
    await pump(world, processor);
    expect(await eventsOf(world, "books")).toEqual([]);
  });

  test.each<[what: string, options: EnvelopeOptions]>([
    ["an id of 257 characters", { id: "x".repeat(257) }],
    ["an id that is true", { id: true }],
    ["a signType of its own", { fields: { signType: "RSA2", charset: "utf8" } }],
  ])("with %s is published all the same", async (_case, envelope) => {
    const { statusCode, events } = await send(envelope);
    expect(statusCode).toBe(200);
    expect(events).toHaveLength(1);
    if (envelope.id !== undefined) expect(events[0]!.data).not.toHaveProperty("callbackId");
  });

  test("with an event name of 2,000 characters is kept for a person", async () => {
    const { statusCode, events } = await send({ eventName: "x".repeat(2_000) });
    expect(statusCode).toBe(200);
    expect(events).toEqual([]);
    expect(await quarantined(world)).toMatchObject([{ reason: "event-unknown" }]);
  });
});

test("a stranger's text in an id does not get into the log", async () => {
  const envelope = paymentCallback(world, {}, { id: "4111 1111 1111 1111" });
  const { statusCode } = await post(receiver, { ...envelope, sign: "c2lnbg==" });
  expect(statusCode).toBe(401);
  const line = logOf(receiver).at(-1);
  expect(line).toMatchObject({ claimedCallbackId: keyOfId("4111 1111 1111 1111") });
  expect(JSON.stringify(line)).not.toContain("4111");
});
