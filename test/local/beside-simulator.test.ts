import { expect, test } from "vitest";
import { besideSimulator } from "../../local/beside-simulator.ts";
import { readLocalOptions } from "../../local/local-options.ts";

function settings(flags: string[], console?: string) {
  const options = readLocalOptions(flags, { PAYCAST_DIRECTORY: "/somewhere" });
  if (options === "help") throw new Error("not help");
  return besideSimulator(options, () => (console === undefined ? undefined : { console }));
}

test("the payment service's orders are kept only with --keep", () => {
  expect(settings([]).ordersFile).toBeUndefined();
  expect(settings(["--keep"]).ordersFile).toBe("/somewhere/data/payment-service.json");
});

test.each([
  ["ORDER-1", "/orders/ORDER-1?merchant=m"],
  ["a/b?c#d", "/orders/a%2Fb%3Fc%23d?merchant=m"],
  ["..", "/orders/~..?merchant=m"],
])("the order %s has a page in the console, whose address has no token", (orderNo, path) => {
  const page = settings([], "http://127.0.0.1:1/?token=T-0_k").orderPage?.("m", orderNo);
  expect(page?.address).toBe(`http://127.0.0.1:1${path}`);
});

test("an order has no page in the console before the console runs", () => {
  expect(settings([]).orderPage?.("m", "N")).toBeUndefined();
});
