import { expect, test } from "vitest";
import { watchRefusals } from "../../../shared/delivery/deliver-event.ts";

const minute = 60_000;

function watch() {
  let now = 0;
  const refusals = watchRefusals(() => now);
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
