import { expect, test } from "vitest";
import { type SetAside, setAside } from "../../../shared/processing/set-aside.ts";
import type { Receipt } from "../../../shared/records/receipt.ts";
import { failurePatienceMilliseconds } from "../../../shared/timing.ts";

const now = Date.UTC(2026, 10, 15);
const old = now - failurePatienceMilliseconds;
const failure = new TypeError("secret");

/** What becomes of a message that has failed for days. */
async function endOf(sentAtMilliseconds: number, receivedAtMilliseconds?: number) {
  const done: string[] = [];
  const deps: SetAside = {
    recordQuarantine: async () => void done.push("recorded"),
    sendToDeadLetters: async () => void done.push("dead letter"),
    failingSince: () => 0,
    now: () => now,
    log: () => undefined,
  };
  const queued = {
    messageId: "m",
    receiptHandle: "r",
    group: "g",
    body: "",
    receiveCount: 1,
    sentAtMilliseconds,
  };
  const receipt = receivedAtMilliseconds === undefined ? undefined : at(receivedAtMilliseconds);
  const end = await setAside({ queued, receipt }, failure, deps);
  return [end, ...done];
}

function at(receivedAtMilliseconds: number): Receipt {
  return {
    message: {
      origin: "callback",
      merchantId: "M1",
      content: { kind: "text", text: "", result: undefined },
      deduplication: { key: "c1", replayable: false },
      receivedAtMilliseconds,
      traceparent: "",
      keyVersion: "v",
    },
    body: "",
    group: "g",
  };
}

test("a message that could not be read is as old as it is in the queue", async () => {
  expect(await endOf(old + 1)).toEqual([{}]);
  expect(await endOf(old)).toEqual(["done", "dead letter"]);
});

test("a message that could be read is as old as its receipt, also after a redrive", async () => {
  expect(await endOf(old, old + 1)).toEqual([{}]);
  expect(await endOf(now, old)).toEqual(["done", "recorded"]);
});
