import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Emulators, startEmulators } from "../../local/aws/start-emulators.ts";
import { httpApi, lambda, role, StackFixture } from "./stack-fixture.ts";

let emulators: Emulators;
let fixture: StackFixture;

beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.stop());
beforeEach(() => {
  fixture = new StackFixture();
});
afterEach(() => fixture.stop());

async function serve(code: string, routeKeys: string[], apiProperties = {}) {
  fixture.write("fn", code);
  const resources = { Role: role, Fn: lambda("fn"), ...httpApi("Fn", routeKeys, apiProperties) };
  return await fixture.start(emulators, resources);
}

test("an unknown route is 404 in API Gateway's words", async () => {
  const { api } = await serve("export const handler = async () => ({});", ["POST /callbacks"]);
  for (const [method, path] of [
    ["GET", "/callbacks"],
    ["POST", "/elsewhere"],
  ]) {
    const response = await fetch(`${api}${path}`, { method: method! });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: "Not Found" });
  }
});

test("a default route takes what no other does, but no preflight", async () => {
  const { api } = await serve(
    "export const handler = async ({ routeKey }) => ({ statusCode: 404, body: routeKey });",
    ["GET /orders/{orderNo+}", "$default", "OPTIONS /{path+}"],
    { CorsConfiguration: { AllowOrigins: ["https://shop.example.com"], AllowMethods: ["GET"] } },
  );
  const answer = async (path: string, method = "GET") =>
    await (await fetch(`${api}${path}`, { method })).text();
  expect(await answer("/orders/1")).toBe("GET /orders/{orderNo+}");
  expect(await answer("/orders/1", "DELETE")).toBe("$default");
  expect(await answer("/")).toBe("$default");
  const headers = { origin: "https://shop.example.com", "access-control-request-method": "GET" };
  const preflight = await fetch(`${api}/orders/1`, { method: "OPTIONS", headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-methods")).toBe("GET");
});

test("an order number with line breaks reaches the function", async () => {
  const { api } = await serve(
    "export const handler = async ({ pathParameters }) => JSON.stringify(pathParameters.orderNo);",
    ["GET /orders/{orderNo+}"],
  );
  const response = await fetch(`${api}/orders/${encodeURIComponent("a\r\nb\u2028c")}`);
  expect(response.status).toBe(200);
  expect(JSON.parse(await response.text())).toBe("a\r\nb\u2028c");
});

test("preflights are answered and CORS headers added as the template says", async () => {
  const { api } = await serve(
    "export const handler = async () => ({ statusCode: 200 });",
    ["POST /orders"],
    { CorsConfiguration: { AllowOrigins: ["https://shop.example.com"], AllowMethods: ["POST"] } },
  );
  const headers = { origin: "https://shop.example.com" };
  const preflight = await fetch(`${api}/orders`, { method: "OPTIONS", headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-methods")).toBe("POST");
  const response = await fetch(`${api}/orders`, { method: "POST", headers });
  expect(response.headers.get("access-control-allow-origin")).toBe(headers.origin);
  expect((await fetch(`${api}/orders`, { method: "GET", headers })).status).toBe(404);
});
