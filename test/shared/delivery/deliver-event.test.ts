import * as sqs from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import {
  deliverEvent,
  isQueueGone,
  watchFailures,
} from "../../../shared/delivery/deliver-event.ts";
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

function named(name: string): Error {
  return Object.assign(new Error("thrown by the test"), { name });
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
    if (name === "a") throw named("QueueDoesNotExist");
  });
  expect(delivery.delivered).toEqual(["b"]);
  expect(delivery.failures).toEqual([{ subscriber: "a", errorName: "QueueDoesNotExist" }]);
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
  expect(failures).toEqual([{ subscriber: "gone", errorName: "NotConfigured" }]);
});

const minute = 60_000;

function watch() {
  let now = 0;
  const refusals = watchFailures(() => now);
  return {
    isHopeless: refusals.isHopeless,
    refuseAt: (minutes: number, subscriber = "stock") => {
      now = minutes * minute;
      refusals.note({ delivered: [], failures: [{ subscriber, errorName: "No" }] });
    },
    acceptAt: (minutes: number) => {
      now = minutes * minute;
      refusals.note({ delivered: ["stock"], failures: [] });
    },
  };
}

test("a queue that has refused for five minutes gives an event one try", () => {
  const { refuseAt, isHopeless } = watch();
  for (const minutes of [0, 1, 2, 3, 4]) refuseAt(minutes);
  expect(isHopeless("stock")).toBe(false);
  refuseAt(5);
  expect(isHopeless("stock")).toBe(true);
  expect(isHopeless("books")).toBe(false);
});

test("one event that it takes gives the next ones their whole time again", () => {
  const { refuseAt, acceptAt, isHopeless } = watch();
  for (const minutes of [0, 2, 4, 6]) refuseAt(minutes);
  acceptAt(7);
  expect(isHopeless("stock")).toBe(false);
  refuseAt(8);
  expect(isHopeless("stock")).toBe(false);
});

test("two refusals with a long silence between them are no long refusal", () => {
  const { refuseAt, isHopeless } = watch();
  refuseAt(0);
  refuseAt(60);
  expect(isHopeless("stock")).toBe(false);
});

describe("of the errors that the SDK knows", () => {
  const classes = Object.entries(sqs).filter(
    ([, value]) =>
      typeof value === "function" && value.prototype instanceof sqs.SQSServiceException,
  );
  const isGone = (errorName: string) => isQueueGone({ subscriber: "a", errorName });

  test("those of a queue that does not exist, or whose key is disabled or deleted, mean that it is gone", () => {
    const gone = classes.map(([name]) => name).filter(isGone);
    expect(gone.sort()).toEqual([
      "KmsDisabled",
      "KmsInvalidState",
      "KmsNotFound",
      "QueueDoesNotExist",
    ]);
    expect(classes.map(([name]) => name)).toContain("KmsAccessDenied");
  });

  test.each([
    ["AWS.SimpleQueueService.NonExistentQueue", true],
    ["KMS.DisabledException", true],
    ["KMS.InvalidStateException", true],
    ["KMS.NotFoundException", true],
    ["KMS.AccessDeniedException", false],
    ["KMS.ThrottlingException", false],
    ["AccessDenied", false],
    ["AccessDeniedException", false],
    ["TimeoutError", false],
    ["NotConfigured", false],
  ])("the name %s means the same in the query protocol, or elsewhere: %s", (name, expected) => {
    expect(isGone(name)).toBe(expected);
  });
});
