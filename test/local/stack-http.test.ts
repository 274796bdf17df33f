import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";
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

const internalError = { message: "Internal Server Error" };

async function serve(code: string, routeKeys: string[], apiProperties = {}, properties = {}) {
  fixture.write("fn", code);
  const resources = {
    Role: role,
    Fn: lambda("fn", properties),
    ...httpApi("Fn", routeKeys, apiProperties),
  };
  return await fixture.start(emulators, resources);
}

test("a route leads to its function and the answer back, without any signature", async () => {
  const { api } = await serve(
    `export const handler = async (event) => ({
      statusCode: 201,
      headers: { "x-order": event.pathParameters.orderNo },
      cookies: ["a=1", "b=2"],
      body: JSON.stringify({ body: event.body, method: event.requestContext.http.method }),
    });`,
    ["PUT /orders/{orderNo}"],
  );
  const response = await fetch(`${api}/orders/7%20a`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '{"x":1}',
  });
  expect(new URL(api).hostname).toBe("127.0.0.1");
  expect(response.status).toBe(201);
  expect(response.headers.get("x-order")).toBe("7 a");
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await response.json()).toEqual({ body: '{"x":1}', method: "PUT" });
  expect(fixture.events).toContainEqual(
    expect.objectContaining({ kind: "request", method: "PUT", path: "/orders/7 a", status: 201 }),
  );
});

test("binary bodies go both ways unharmed", async () => {
  const { api } = await serve(
    `export const handler = async ({ body, isBase64Encoded }) =>
      ({ statusCode: 200, body, isBase64Encoded });`,
    ["POST /echo"],
  );
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const response = await fetch(`${api}/echo`, { method: "POST", body: bytes });
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
});

test("a throw, a timeout, a crash and a malformed answer are 500 in API Gateway's words", async () => {
  const { api } = await serve(
    `export const handler = async ({ pathParameters: { how } }) => {
      if (how === "throw") throw new Error("secret detail");
      if (how === "hang") await new Promise(() => {});
      if (how === "exit") process.exit(1);
      if (how === "malformed") return { statusCode: 200, body: { an: "object" } };
      return { statusCode: 204 };
    };`,
    ["GET /{how}"],
    {},
    { Timeout: 1 },
  );
  for (const how of ["throw", "hang", "exit", "malformed"]) {
    const response = await fetch(`${api}/${how}`);
    expect([how, response.status]).toEqual([how, 500]);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(internalError);
  }
  expect((await fetch(`${api}/well`)).status).toBe(204);
});

test("a body over 10 MB is 413 and never reaches the function", async () => {
  const { api } = await serve("export const handler = async () => ({ statusCode: 200 });", [
    "POST /callbacks",
  ]);
  const post = (bytes: number) =>
    fetch(`${api}/callbacks`, { method: "POST", body: new Uint8Array(bytes) });
  const response = await post(10 * 1024 * 1024 + 1);
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({ message: "Request Entity Too Large" });
  expect((await post(1024)).status).toBe(200);
});

test("a function that is slower than the integration allows is 503", async () => {
  fixture.write("fn", "export const handler = () => new Promise(() => {});");
  const resources = { Role: role, Fn: lambda("fn"), ...httpApi("Fn", ["GET /slow"]) };
  Object.assign(resources.Integration.Properties, { TimeoutInMillis: 100 });
  const { api } = await fixture.start(emulators, resources);
  const response = await fetch(`${api}/slow`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ message: "Service Unavailable" });
});

test("functions are told the local address wherever the template builds the one at AWS", async () => {
  fixture.write("fn", "export const handler = async () => process.env;");
  const apiAtAws = [
    "https://",
    { Ref: "Api" },
    ".execute-api.",
    { Ref: "AWS::Region" },
    ".",
    { Ref: "AWS::URLSuffix" },
    "/callbacks",
  ];
  const Variables = {
    BY_ATTRIBUTE: { "Fn::Join": ["", [{ "Fn::GetAtt": ["Api", "ApiEndpoint"] }, "/callbacks"]] },
    BY_PARTS: { "Fn::Join": ["", apiAtAws] },
    BY_DOMAIN: '{"url":"https://pay.example.com/callbacks"}',
  };
  const { api, outputs } = await fixture.start(
    emulators,
    {
      Role: role,
      Fn: lambda("fn", { Environment: { Variables } }),
      ...httpApi("Fn", ["GET /environment"]),
      Domain: {
        Type: "AWS::ApiGatewayV2::DomainName",
        Properties: { DomainName: "pay.example.com" },
      },
    },
    { template: { Outputs: { CallbackUrl: { Value: "https://pay.example.com/callbacks" } } } },
  );
  const environment = await (await fetch(`${api}/environment`)).json();
  expect(environment).toMatchObject({
    BY_ATTRIBUTE: `${api}/callbacks`,
    BY_PARTS: `${api}/callbacks`,
    BY_DOMAIN: `{"url":"${api}/callbacks"}`,
  });
  expect(outputs).toEqual({ CallbackUrl: `${api}/callbacks` });
});

test("a port that is taken is an error that names it, and leaves nothing running", async () => {
  const other = await listenOnLoopback(createServer());
  const port = Number(new URL(other.endpoint).port);
  const starting = fixture.start(emulators, {}, { port });
  await expect(starting).rejects.toThrow(`Port ${port} cannot be used: another program has it.`);
  await other.stop();
});
