import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startDynamodb } from "../../local/aws/dynamodb.ts";
import { type Gate, startGate } from "../../local/aws/gate.ts";
import { serveHttpApi } from "../../local/stack/http/serve-http-api.ts";
import { statusAtHost } from "./status-at-host.ts";

const foreign = [
  "evil.example",
  "evil.example:3000",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
];
const own = ["127.0.0.1", "localhost", "[::1]", "192.168.1.20"];
const foreignOrigins = [
  "https://evil.example",
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example:3000",
  "http://192.168.1.20",
  // A page of any site in a frame without rights, and a file.
  "null",
];
const ownOrigins = ["http://localhost:5173", "http://127.0.0.1:3009", "http://[::1]:3000"];

const emulators = inject("emulators");
let dynamodb: Awaited<ReturnType<typeof startDynamodb>>;
let gate: Gate;
let api: Awaited<ReturnType<typeof serveHttpApi>>;
const told: unknown[] = [];

beforeAll(async () => {
  // The one of the test run has no door.
  dynamodb = await startDynamodb();
  gate = await startGate(emulators);
  api = await serveHttpApi({ port: 0, log: (event) => told.push(event) });
});
afterAll(async () => {
  await api.stop();
  await gate.stop();
  await dynamodb.stop();
});

/** What a web page could reach from the browser of this machine. */
const addresses: [part: string, address: () => string][] = [
  ["the API", () => api.endpoint],
  ["SQS", () => emulators.sqs],
  ["DynamoDB", () => dynamodb.endpoint],
  ["Secrets Manager", () => emulators.secretsmanager],
  ["the functions' way to SQS", () => gate.endpoints.sqs],
  ["the functions' way to DynamoDB", () => gate.endpoints.dynamodb],
];

describe.each(addresses)("%s", (_, address) => {
  test.each(foreign)("refuses a request that names the host %s", async (host) => {
    expect(await statusAtHost(host, address())).toBe(403);
  });

  test.each(own)("takes a request that names the host %s", async (host) => {
    const { port } = new URL(address());
    expect(await statusAtHost(host, address())).not.toBe(403);
    expect(await statusAtHost(`${host}:${port}`, address())).not.toBe(403);
  });

  test.each(foreignOrigins)(
    "refuses what a page of %s asks, with the preflight",
    async (origin) => {
      for (const method of ["OPTIONS", "POST", "GET"]) {
        const { status, headers } = await fetch(address(), { method, headers: { origin } });
        expect(status).toBe(403);
        expect(headers.has("access-control-allow-origin")).toBe(false);
      }
    },
  );

  test.each(ownOrigins)("takes what a page of %s asks", async (origin) => {
    const { status } = await fetch(address(), { method: "POST", headers: { origin } });
    expect(status).not.toBe(403);
  });
});

test("a refused request is in the API's log", async () => {
  await statusAtHost("evil.example", `${api.endpoint}/orders`);
  const refused = { kind: "request", path: "/orders", status: 403 };
  await expect
    .poll(() => told, { timeout: 10_000 })
    .toContainEqual(expect.objectContaining(refused));
});
