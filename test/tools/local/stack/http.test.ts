import { expect, test } from "vitest";
import { httpApi, lambda, role, useStacks } from "./stack-fixture.ts";

const fixture = useStacks();
const origin = "https://shop.example.com";

async function serve(code: string, routeKeys: string[], apiProperties = {}, properties = {}) {
  const { api } = await fixture.startFunction(code, httpApi(routeKeys, apiProperties), properties);
  return api;
}

test("a route leads to its function and the answer back, without any signature", async () => {
  const api = await serve(
    `export const handler = async (event) => ({
      statusCode: 201,
      headers: { "X-Order": event.pathParameters.orderNo },
      body: JSON.stringify({ body: event.body, method: event.requestContext.http.method }),
    });`,
    ["PUT /orders/{orderNo}"],
  );
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${api}/orders/7%20a`, { method: "PUT", headers, body: '{"x":1}' });
  expect(new URL(api).hostname).toBe("127.0.0.1");
  expect(response.status).toBe(201);
  expect(response.headers.get("x-order")).toBe("7 a");
  expect(await response.json()).toEqual({ body: '{"x":1}', method: "PUT" });
  const event = { kind: "request", method: "PUT", path: "/orders/7 a", status: 201 };
  expect(fixture.events).toContainEqual(expect.objectContaining(event));
});

test("a throw, a timeout, a crash and a malformed answer are 500 in API Gateway's words", async () => {
  const api = await serve(
    `export const handler = async ({ pathParameters: { how } }) => {
      if (how === "throw") throw new Error("secret detail");
      if (how === "hang") await new Promise(() => {});
      if (how === "exit") process.exit(1);
      if (how === "malformed") return { statusCode: 200, body: { an: "object" } };
      if (how === "without-a-status") return { hello: "world" };
      return { statusCode: 204 };
    };`,
    ["GET /{how}"],
    {},
    { Timeout: 3 },
  );
  for (const how of ["throw", "hang", "exit", "malformed", "without-a-status"]) {
    const response = await fetch(`${api}/${how}`);
    expect([how, response.status]).toEqual([how, 500]);
    expect(await response.json()).toEqual({ message: "Internal Server Error" });
  }
  expect((await fetch(`${api}/well`)).status).toBe(204);
});

test("a body over 10 MB is 413, a function that is too slow 503, an unknown route 404", async () => {
  const resources = httpApi(["POST /slow"], {}, { TimeoutInMillis: 100 });
  const code = "export const handler = () => new Promise(() => {});";
  const { api } = await fixture.startFunction(code, resources);
  const post = async (path: string, bytes: number) => {
    const init = { method: "POST", body: new Uint8Array(bytes) };
    const response = await fetch(`${api}${path}`, init);
    return [response.status, await response.json()];
  };
  const tooLarge = { message: "Request Entity Too Large" };
  expect(await post("/slow", 10 * 1024 * 1024 + 1)).toEqual([413, tooLarge]);
  expect(await post("/slow", 1024)).toEqual([503, { message: "Service Unavailable" }]);
  expect(await post("/elsewhere", 1)).toEqual([404, { message: "Not Found" }]);
});

test("a default route takes all other requests, but API Gateway answers preflights itself", async () => {
  const CorsConfiguration = {
    AllowOrigins: [origin],
    AllowMethods: ["GET", "POST"],
    AllowHeaders: ["content-type"],
    ExposeHeaders: ["location"],
    MaxAge: 60,
  };
  const api = await serve(
    "export const handler = async ({ routeKey }) => ({ statusCode: 404, body: routeKey });",
    ["GET /orders/{orderNo+}", "$default", "OPTIONS /{path+}"],
    { CorsConfiguration },
  );
  const send = (method: string, headers: Record<string, string> = { origin }) =>
    fetch(`${api}/orders/1`, { method, headers });
  const order = await send("GET");
  expect(await order.text()).toBe("GET /orders/{orderNo+}");
  const allowed = { "access-control-allow-origin": origin, vary: "Origin" };
  expect(Object.fromEntries(order.headers)).toMatchObject({
    ...allowed,
    "access-control-expose-headers": "location",
  });
  expect((await send("GET", {})).headers.has("access-control-allow-origin")).toBe(false);
  expect(await (await send("DELETE")).text()).toBe("$default");
  const preflight = await send("OPTIONS");
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    ...allowed,
    "access-control-allow-methods": "GET,POST",
    "access-control-allow-headers": "content-type",
    "access-control-max-age": "60",
  });
});

test("until the stack is open, and when it stops, the API answers 503 with Retry-After", async () => {
  fixture.write(
    "fn",
    `export const handler = async ({ rawPath }) => {
      if (rawPath !== "/wait") return { statusCode: 200 };
      console.log("waiting");
      await new Promise(() => {});
    };`,
  );
  const resources = { Role: role, Fn: lambda("fn", { Timeout: 30 }), ...httpApi(["GET /{path}"]) };
  const stack = await fixture.startClosed(resources);
  const ask = async (path: string) => {
    const { status, headers } = await fetch(`${stack.api}/${path}`);
    return [status, headers.get("retry-after")];
  };
  expect(await ask("now")).toEqual([503, "1"]);
  expect(await ask("no/such/path")).toEqual([503, "1"]);
  stack.open();
  expect(await ask("now")).toEqual([200, null]);
  expect(await ask("no/such/path")).toEqual([404, null]);
  const waiting = ask("wait");
  await expect
    .poll(() => fixture.events)
    .toContainEqual(expect.objectContaining({ kind: "output", line: "waiting" }));
  await stack.stop();
  expect(await waiting).toEqual([503, "1"]);
});

test("functions get the local address in place of the one at AWS", async () => {
  const Variables = {
    BY_ATTRIBUTE: { "Fn::Join": ["", [{ "Fn::GetAtt": ["Api", "ApiEndpoint"] }, "/callbacks"]] },
    BY_DOMAIN: '{"url":"https://pay.example.com/callbacks","api":"https://pay.example.com"}',
    ELSEWHERE: "https://pay.example.com.au",
  };
  fixture.write(
    "fn",
    "export const handler = async () => ({ statusCode: 200, body: JSON.stringify(process.env) });",
  );
  const DomainName = "pay.example.com";
  const resources = {
    Role: role,
    Fn: lambda("fn", { Environment: { Variables } }),
    ...httpApi(["GET /environment"]),
    Domain: { Type: "AWS::ApiGatewayV2::DomainName", Properties: { DomainName } },
  };
  const { api } = await fixture.start(resources);
  const environment = await (await fetch(`${api}/environment`)).json();
  expect(environment).toMatchObject({
    BY_ATTRIBUTE: `${api}/callbacks`,
    BY_DOMAIN: `{"url":"${api}/callbacks","api":"${api}"}`,
    ELSEWHERE: "https://pay.example.com.au",
  });
});

test("a route that leads to an alias, as with a gradual rollout, is answered by its function", async () => {
  const code = `export const handler = async () => ({ statusCode: 200, body: "well" });`;
  const Live = { Type: "AWS::Lambda::Alias", Properties: { FunctionName: { Ref: "Fn" } } };
  const integration = { IntegrationUri: { Ref: "Live" } };
  const resources = { ...httpApi(["GET /"], {}, integration), Live };
  const { api } = await fixture.startFunction(code, resources);
  expect(await (await fetch(`${api}/`)).text()).toBe("well");
  const byName = { ...Live, Properties: { FunctionName: "fn" } };
  await expect(fixture.startFunction(code, { ...resources, Live: byName })).rejects.toThrow(
    "An AWS::Lambda::Alias must name its function by a Ref.",
  );
});

test("a second HTTP API is refused by its name", async () => {
  const { Api } = httpApi(["GET /"]);
  await expect(fixture.start({ Api, Second: Api })).rejects.toThrow("Second would be a second one");
});
