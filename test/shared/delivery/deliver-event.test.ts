import { describe, expect, test } from "vitest";
import { deliverEvent } from "../../../shared/delivery/deliver-event.ts";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";

const subscribers: Subscriber[] = ["a", "b"].map((name) => ({
  name,
  types: ["*"],
  queueUrl: `https://sqs.test/${name}`,
  ordered: true,
}));

const event = {
  event: "{}",
  factId: "fact",
  type: "payment.order.success",
  group: "group",
  pending: ["a", "b"],
};

function answered(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error("told by the test"), { name, $metadata: { httpStatusCode } });
}

test("everybody who is pending gets the same bytes under the fact's id", async () => {
  const sent: unknown[] = [];
  const delivery = await deliverEvent(event, subscribers, async (to, outgoing) => {
    sent.push([to.name, outgoing]);
  });
  const outgoing = { event: "{}", eventId: "fact", type: "payment.order.success", group: "group" };
  expect(sent).toEqual([
    ["a", outgoing],
    ["b", outgoing],
  ]);
  expect(delivery).toEqual({ delivered: ["a", "b"], failures: [] });
});

test("one that fails holds up no other, and only who is pending gets anything", async () => {
  const delivery = await deliverEvent(event, subscribers, async ({ name }) => {
    if (name === "a") throw answered("QueueDoesNotExist", 400);
  });
  expect(delivery.delivered).toEqual(["b"]);
  expect(delivery.failures).toEqual([
    { subscriber: "a", errorName: "QueueDoesNotExist", refused: true },
  ]);
  const none = await deliverEvent({ ...event, pending: [] }, subscribers, async () => {
    throw new Error("must not be called");
  });
  expect(none).toEqual({ delivered: [], failures: [] });
});

test("a name that is not configured counts as refused", async () => {
  const { failures } = await deliverEvent(
    { ...event, pending: ["gone"] },
    subscribers,
    async () => {},
  );
  expect(failures).toEqual([{ subscriber: "gone", errorName: "NotConfigured", refused: true }]);
});

describe("a queue that says no is told from one that does not answer", () => {
  test.each([
    [answered("QueueDoesNotExist", 400), true],
    [answered("AccessDenied", 403), true],
    [answered("KmsAccessDenied", 400), true],
    [answered("RequestThrottled", 403), false],
    [answered("ThrottlingException", 400), false],
    [answered("OverLimit", 403), false],
    [answered("InternalFailure", 500), false],
    [answered("SlowDown", 429), false],
    [Object.assign(new Error("no answer"), { name: "TimeoutError" }), false],
  ])("%s: %s", async (error, refused) => {
    const { failures } = await deliverEvent(event, subscribers, () => Promise.reject(error));
    expect(failures.map((failure) => failure.refused)).toEqual([refused, refused]);
  });
});
