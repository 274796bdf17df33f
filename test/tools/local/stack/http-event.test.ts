import { describe, expect, test } from "vitest";
import { matchRoute } from "../../../../tools/local/stack/http/http-api.ts";
import { toHttpEvent } from "../../../../tools/local/stack/http/http-event.ts";

const request = {
  method: "POST",
  url: "/orders",
  rawHeaders: ["Host", "127.0.0.1:3000", "User-Agent", "shop/1.0"],
  protocol: "HTTP/1.1",
  sourceIp: "127.0.0.1",
  body: Buffer.from(""),
};
const context = {
  routeKey: "POST /orders",
  pathParameters: {},
  requestId: "request-1",
  nowMilliseconds: Date.UTC(2026, 2, 12, 19, 3, 58, 120),
};

describe("a request becomes an event", () => {
  test("of payload format 2.0", () => {
    expect(toHttpEvent(request, context)).toEqual({
      version: "2.0",
      routeKey: "POST /orders",
      rawPath: "/orders",
      rawQueryString: "",
      headers: { host: "127.0.0.1:3000", "user-agent": "shop/1.0" },
      requestContext: {
        accountId: "000000000000",
        apiId: "local",
        domainName: "127.0.0.1:3000",
        domainPrefix: "127",
        http: {
          method: "POST",
          path: "/orders",
          protocol: "HTTP/1.1",
          sourceIp: "127.0.0.1",
          userAgent: "shop/1.0",
        },
        requestId: "request-1",
        routeKey: "POST /orders",
        stage: "$default",
        time: "12/Mar/2026:19:03:58 +0000",
        timeEpoch: context.nowMilliseconds,
      },
      isBase64Encoded: false,
    });
  });

  test("with header names in lower case, and repeated headers joined", () => {
    const rawHeaders = ["X-Tag", "a", "x-tag", "b"];
    const event = toHttpEvent({ ...request, rawHeaders }, context);
    expect(event).toMatchObject({ headers: { "x-tag": "a,b" } });
  });

  test("with the query string raw, and its parameters decoded and joined", () => {
    const rawQueryString = "a=1&a=2&name=J%C3%BCrgen+K&q=what%3F?";
    expect(toHttpEvent({ ...request, url: `/orders?${rawQueryString}` }, context)).toMatchObject({
      rawPath: "/orders",
      rawQueryString,
      queryStringParameters: { a: "1,2", name: "Jürgen K", q: "what??" },
    });
  });

  test("with the path decoded, and cut at an escaped question mark", () => {
    const event = toHttpEvent({ ...request, url: "/orders/%E4%B8%AD%20x%3Fy" }, context);
    expect(event).toMatchObject({ rawPath: "/orders/中 x", rawQueryString: "" });
  });

  test.each([
    ["application/json; charset=utf-8", false],
    ["Text/Plain", false],
    ["application/x-www-form-urlencoded", true],
    ["application/problem+json", true],
    [undefined, true],
  ])("with a body of type %s in base64: %s", (contentType, isBase64Encoded) => {
    const rawHeaders = contentType === undefined ? [] : ["Content-Type", contentType];
    const sent = Buffer.from('{"ü":1}');
    const event = toHttpEvent({ ...request, rawHeaders, body: sent }, context);
    const body = sent.toString(isBase64Encoded ? "base64" : "utf8");
    expect(event).toMatchObject({ body, isBase64Encoded });
  });
});

describe("a route is chosen", () => {
  const keys = ["GET /orders/{orderNo}", "GET /orders/open", "ANY /orders/{id}", "GET /{proxy+}"];
  test.each([
    ["a fixed segment before a variable one", "GET", "/orders/open", "GET /orders/open"],
    ["a named method before ANY", "GET", "/orders/7", "GET /orders/{orderNo}"],
    ["ANY for other methods", "PUT", "/orders/7", "ANY /orders/{id}"],
    ["a greedy one last", "GET", "/orders/7/items", "GET /{proxy+}"],
    ["a greedy one with line breaks", "GET", "/a\r\nb\u2028c", "GET /{proxy+}"],
    ["$default if nothing else fits", "DELETE", "/nowhere", "$default"],
    ["a dot in a route is a dot", "POST", "/a-b", "$default"],
  ])("%s", (_rule, method, path, expected) => {
    const routes = [...keys, "$default", "POST /a.b"].map((routeKey) => ({ routeKey }));
    expect(matchRoute(routes, method, path)?.route.routeKey).toBe(expected);
  });
});
