import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { besideSimulator } from "../../local/beside-simulator.ts";
import { readLocalOptions } from "../../local/local-options.ts";

/** The API itself is met in the end-to-end tests. Here it answers what cannot be had from it at will. */
let server: Server;
let answer: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
});

const order = {
  merchantId: "m",
  order: { orderNo: "N", orderAmount: "1", orderDescription: "", goods: [] },
  channel: "WEB",
  paymentAmount: "1",
  currency: "EUR",
};
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const place = async (api: string | undefined) =>
  await settings([], running(api)).merchantSystem?.placeOrder(order);

const running = (api: string | undefined) => api && { api, console: `${api}/?token=T-0_k` };

function settings(flags: string[], stack: ReturnType<typeof running> = undefined) {
  const options = readLocalOptions(flags, { PAYCAST_DIRECTORY: "/somewhere" });
  if (options === "help") throw new Error("not help");
  return besideSimulator(options, () => stack || undefined);
}

test("an order that the API answers with a payment is placed", async () => {
  answer = JSON.stringify({ orderNo: "N", paymentId: "p1" });
  expect(await place(address())).toEqual({ paymentId: "p1" });
});

test.each([
  [
    "what the service said",
    { title: "Refused", detail: "Read it", service: { code: "5", msg: "no" } },
    "Refused.\nRead it\nIt said: 5 no",
  ],
  [
    "every fault of the body",
    { title: "Wrong", detail: "Fix it", errors: [{ detail: "a." }, { detail: "b." }] },
    "Wrong.\na.\nb.",
  ],
  [
    "an answer that is not an order",
    "<html>",
    "Paycast answered with something that is not an order.",
  ],
])("a refusal tells %s", async (_what, body, refused) => {
  answer = typeof body === "string" ? body : JSON.stringify(body);
  expect(await place(address())).toEqual({ refused });
});

test("an API that does not run yet, or no longer, is said", async () => {
  expect(await place(undefined)).toEqual({ refused: expect.stringContaining("still starting") });
  expect(await place("http://127.0.0.1:1")).toEqual({
    refused: expect.stringContaining("Paycast did not answer"),
  });
});

test("the payment service's orders are kept only with --keep", () => {
  expect(settings([]).ordersFile).toBeUndefined();
  expect(settings(["--keep"]).ordersFile).toBe("/somewhere/data/payment-service.json");
});

test.each([
  ["ORDER-1", "/orders/ORDER-1?merchant=m"],
  ["a/b?c#d", "/orders/a%2Fb%3Fc%23d?merchant=m"],
  ["..", "/orders/~..?merchant=m"],
])("the order %s has a page in the console, whose address has no token", (orderNo, path) => {
  const system = settings([], running("http://127.0.0.1:1")).merchantSystem;
  expect(system?.orderUrl("m", orderNo)).toBe(`http://127.0.0.1:1${path}`);
  expect(system?.homeUrl()).toBe("http://127.0.0.1:1");
});

test("an order has no page in the console before the console runs", () => {
  expect(settings([]).merchantSystem?.orderUrl("m", "N")).toBeUndefined();
});
