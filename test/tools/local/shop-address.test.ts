import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { chooseShopAddress, localVariables } from "../../../tools/local/shop-address.ts";

const shop = "http://127.0.0.1:3009";

test("the shop has the last of the ten ports that belong to PORT", async () => {
  expect(await chooseShopAddress(3000)).toBe(shop);
});

test("with PORT=0 the shop gets a port that is free, and that the system gives to nobody before the shop starts", async () => {
  const { port } = new URL(await chooseShopAddress(0));
  expect(Number(port)).toBeLessThan(16_000);
  const { stop } = await listenOnLoopback(createServer(), Number(port));
  await stop();
});

test("with PORT=0 the shop does not get a port that another program has", async () => {
  const { endpoint, stop } = await listenOnLoopback(createServer());
  const { port: free } = new URL(await chooseShopAddress(0));
  const ports = [Number(new URL(endpoint).port), Number(free)];
  expect(await chooseShopAddress(0, () => ports.shift() ?? 0)).toBe(`http://127.0.0.1:${free}`);
  await stop();
});

test.each([
  ['{"loopback":false}', '{"loopback":true}'],
  [
    '{"origins":["https://a.example"],"loopback":false}',
    '{"origins":["https://a.example"],"loopback":true}',
  ],
])("with %s the checkout may also send people back to this machine", (deployed, REDIRECTS) => {
  expect(localVariables({ REDIRECTS: deployed, X: "x" })).toEqual({ REDIRECTS });
});

test("this machine may send callbacks, if the config lists addresses at all", () => {
  const variables = { ALLOWED_SOURCES: '["203.0.113.0/24"]' };
  expect(localVariables(variables)).toEqual({
    ALLOWED_SOURCES: '["203.0.113.0/24","127.0.0.1","::1"]',
  });
  expect(localVariables({ INBOX_QUEUE_URL: "x" })).toEqual({});
});
