import { expect, test } from "vitest";
import { deliverEvent } from "../../../shared/delivery/deliver-event.ts";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";
import { sqsError } from "../../builders/sqs-error.ts";

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
    if (name === "a") throw sqsError("QueueDoesNotExist");
  });
  expect(delivery.delivered).toEqual(["b"]);
  expect(delivery.failures).toEqual([
    { subscriber: "a", errorName: "QueueDoesNotExist", kind: "gone" },
  ]);
  const none = await deliverEvent({ ...event, pending: [] }, subscribers, async () => {
    throw new Error("must not be called");
  });
  expect(none).toEqual({ delivered: [], failures: [] });
});

test("a name that is not configured is a failure", async () => {
  const { failures } = await deliverEvent(
    { ...event, pending: ["gone"] },
    subscribers,
    async () => {},
  );
  expect(failures).toEqual([{ subscriber: "gone", errorName: "NotConfigured", kind: "refused" }]);
});
