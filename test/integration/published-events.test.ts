import { beforeAll, expect, test } from "vitest";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type Call, isSend, messagesIn } from "./fault-proxy.ts";
import { process } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { faultsOfPublished, publishedBy } from "./published-events.ts";
import { useWorlds } from "./world.ts";

const makeWorld = useWorlds();

let processor: Instance;
beforeAll(async () => {
  const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "history" }] });
  processor = await world.start("process-callback");
  const messages = [queuedPayment(world, {}), queuedRefund(world, {})];
  expect(await process(processor, ...messages)).toEqual([]);
});

test("every event that a world published is found and keeps the contract", () => {
  expect(publishedBy(processor.faults.calls)).toHaveLength(4);
  expect(faultsOfPublished(processor.faults.calls)).toEqual([]);
});

/** The same sends, with something else in each body. */
function withBodies(change: (body: string) => string): Call[] {
  return processor.faults.calls.filter(isSend).map((call) => {
    const Entries = messagesIn(call).map((message) => ({
      ...message,
      MessageBody: change(String(message["MessageBody"])),
    }));
    return { ...call, input: { Entries } };
  });
}

test("an event that breaks a schema is found", () => {
  const calls = withBodies((body) => body.replaceAll(/"currency":"..."/g, '"currency":"dollars"'));
  expect(faultsOfPublished(calls).join()).toContain("/data/amount/currency must match pattern");
});

test("an event that only the CloudEvents SDK objects to is found", () => {
  const calls = withBodies((body) => body.replace("{", '{"Bad_Attribute":"x",'));
  expect(faultsOfPublished(calls)).toHaveLength(2);
});
