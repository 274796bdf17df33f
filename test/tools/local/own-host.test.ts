import { createServer, type RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startProxy } from "../../../tools/local/aws/emulator-proxy.ts";
import {
  type Listening,
  listenOnLoopback,
  refuseForeign,
} from "../../../tools/local/aws/listen-on-loopback.ts";
import { serveHttpApi } from "../../../tools/local/stack/http/serve-http-api.ts";
import { statusAtHost } from "./status-at-host.ts";

const emulators = inject("emulators");
const received: unknown[] = [];
let dynamodb: Listening;
let api: Listening;
let any: Listening;

beforeAll(async () => {
  dynamodb = await startProxy(emulators.dynamodb);
  api = await serveHttpApi({ port: 0, now: Date.now, log: (event) => received.push(event) });
  const listener: RequestListener = (_request, response) => void response.end();
  any = await listenOnLoopback(createServer(refuseForeign(listener)));
});
afterAll(() => Promise.all([dynamodb, api, any].map((server) => server.stop())));

test.each([
  ["evil.example", 403],
  ["evil.example:3000", 403],
  ["127.0.0.1.evil.example", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1", 200],
  ["localhost:3000", 200],
  ["[::1]:3000", 200],
  ["192.168.1.20", 200],
])("a request that names the host %s gets %i", async (host, status) => {
  expect(await statusAtHost(host, any.endpoint)).toBe(status);
});

test.each([
  ["https://evil.example", 403],
  ["http://127.0.0.1.evil.example", 403],
  ["http://localhost.evil.example:3000", 403],
  ["http://192.168.1.20", 403],
  // A page of any site in a frame without rights, and a file.
  ["null", 403],
  ["http://localhost:5173", 200],
  ["http://127.0.0.1:3009", 200],
  ["http://[::1]:3000", 200],
])("a page of %s gets %i", async (origin, status) => {
  expect((await fetch(any.endpoint, { headers: { origin } })).status).toBe(status);
});

/** What a web page could reach from the browser of this machine. */
describe.each<[part: string, address: () => string]>([
  ["the API", () => api.endpoint],
  ["SQS", () => emulators.sqs],
  ["Secrets Manager", () => emulators.secretsmanager],
  ["DynamoDB", () => dynamodb.endpoint],
])("%s", (_case, address) => {
  test("refuses another host, and another site's page with its preflight", async () => {
    expect(await statusAtHost("evil.example", address())).toBe(403);
    expect(await statusAtHost("localhost", address())).not.toBe(403);
    for (const method of ["OPTIONS", "POST", "GET"]) {
      const foreign = { method, headers: { origin: "https://evil.example" } };
      const { status, headers } = await fetch(address(), foreign);
      expect(status).toBe(403);
      expect(headers.has("access-control-allow-origin")).toBe(false);
    }
  });
});

test("a refused request is in the API's log", async () => {
  await statusAtHost("evil.example", `${api.endpoint}/orders`);
  const refused = { kind: "request", path: "/orders", status: 403 };
  await expect.poll(() => received).toContainEqual(expect.objectContaining(refused));
});
