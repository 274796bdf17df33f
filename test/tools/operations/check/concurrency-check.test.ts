import { expect, test } from "vitest";
import { concurrencyVerdict } from "../../../../tools/operations/check/concurrency-check.ts";

const account = { limit: 1_000, unreserved: 1_000, reserved: new Map<string, number>() };

const reserving = (instances: Record<string, number>) => ({
  ...account,
  reserved: new Map(Object.entries(instances)),
});

test("with a reservation a payment service that hangs takes nothing from callbacks", () => {
  expect(concurrencyVerdict(reserving({ "receive-callback": 20 }), true)).toEqual({
    status: "ok",
    message:
      "The account may run 1000 instances at the same time; receive-callback has 20 reserved",
  });
});

test("without a storefront nothing competes with callbacks", () => {
  expect(concurrencyVerdict(account, false).status).toBe("ok");
});

test("a storefront whose functions are all limited cannot take what callbacks need", () => {
  const limited = reserving({ "create-order": 5, "query-order": 5 });
  expect(concurrencyVerdict(limited, true).status).toBe("ok");
  expect(concurrencyVerdict(reserving({ "create-order": 5 }), true).status).toBe("warning");
});

test.each([
  [1_000, "125 orders a second", "concurrency.receiveCallback in the config, for example to 50,"],
  [120, "15 orders a second", "for example to 20,"],
  [100, "12 orders a second", "storefront.requestsPerSecond.create below 12,"],
  [10, "1 order a second", "storefront.requestsPerSecond.create below 2,"],
])("of %i instances that are not reserved, %s could use all", (unreserved, rate, advice) => {
  const { status, message, action } = concurrencyVerdict({ ...account, unreserved }, true);
  expect(status).toBe("warning");
  expect(message).toContain(`${unreserved} are not reserved`);
  expect(message).toContain(rate);
  expect(action).toContain(advice);
});
