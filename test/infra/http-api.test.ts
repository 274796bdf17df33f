import { describe, expect, test } from "vitest";
import {
  functionNamed,
  propertiesOf,
  resourcesOf,
  type StackTemplate,
  stackInWords,
  synthesizeTemplate,
} from "./stack-template.ts";

const stack = stackInWords();
const cors = { origins: ["https://shop.example.com"] };
const withCors = stackInWords({ storefront: { cors } });
const ofType = (template: StackTemplate, type: string) =>
  Object.values(propertiesOf(template, `AWS::ApiGatewayV2::${type}`));

function routesOf(template: StackTemplate): Record<string, string> {
  const routes = ofType(template, "Route");
  return Object.fromEntries(
    routes.map(({ RouteKey, AuthorizationType }) => [RouteKey, AuthorizationType]),
  );
}

const withAccess = (access: string) => ({
  "POST /callbacks": "NONE",
  "POST /orders": access,
  "GET /orders/{orderNo+}": access,
  "GET /payments/{paymentId}": access,
  $default: "NONE",
});

describe("the routes", () => {
  test("lead to their functions with payload format 2.0", () => {
    const targets = ofType(stack, "Route").map(({ RouteKey, Target }) => {
      const integration = stack.Resources[Target.split("/")[1]]!.Properties;
      const { IntegrationType, PayloadFormatVersion, IntegrationUri } = integration;
      return [RouteKey, `${IntegrationType} ${PayloadFormatVersion} ${IntegrationUri}`];
    });
    expect(Object.fromEntries(targets)).toEqual({
      "POST /callbacks": "AWS_PROXY 2.0 IntakeReceiveCallbackFunction",
      "POST /orders": "AWS_PROXY 2.0 StorefrontCreateOrderFunction",
      "GET /orders/{orderNo+}": "AWS_PROXY 2.0 StorefrontQueryOrderFunction",
      "GET /payments/{paymentId}": "AWS_PROXY 2.0 StorefrontQueryOrderFunction",
      $default: "AWS_PROXY 2.0 StorefrontQueryOrderFunction",
    });
  });

  const access = "jwt" as const;
  const jwt = { access, issuer: "https://id.example.com/", audience: ["shop"] };
  test.each<[string, Parameters<typeof stackInWords>[0], Record<string, string>]>([
    ["IAM signatures by default", {}, withAccess("AWS_IAM")],
    ["a token when access is jwt", { storefront: jwt }, withAccess("JWT")],
    ["nothing when access is open", { storefront: { access: "open" } }, withAccess("NONE")],
    [
      "nothing for the preflights of a browser, which cannot carry a signature",
      { storefront: { cors } },
      { ...withAccess("AWS_IAM"), "OPTIONS /{path+}": "NONE" },
    ],
    ["nothing without a storefront", { gateway: undefined }, { "POST /callbacks": "NONE" }],
  ])("ask the storefront's callers for %s, and the payment service for nothing", (...row) => {
    const [, changes, routes] = row;
    expect(routesOf(stackInWords(changes))).toEqual(routes);
  });

  test("take tokens of the configured issuer and audience", () => {
    expect(ofType(stackInWords({ storefront: jwt }), "Authorizer")).toMatchObject([
      {
        AuthorizerType: "JWT",
        JwtConfiguration: { Issuer: jwt.issuer, Audience: ["shop"] },
        IdentitySource: ["$request.header.Authorization"],
      },
    ]);
  });

  test("are each throttled, with twice a second's requests in a burst, and exist before the stage that throttles them", () => {
    const { Properties, DependsOn } = withCors.Resources["HttpStage"]!;
    const limit = (perSecond: number) => ({
      ThrottlingRateLimit: perSecond,
      ThrottlingBurstLimit: 2 * perSecond,
    });
    expect(Properties.RouteSettings).toEqual({
      // Far above any merchant's sales, so that no flood of orders or reads takes it away.
      "POST /callbacks": limit(500),
      "POST /orders": limit(100),
      "GET /orders/{orderNo+}": limit(200),
      "GET /payments/{paymentId}": limit(200),
      "OPTIONS /{path+}": limit(200),
      // Nobody needs a path that does not exist.
      $default: limit(20),
    });
    const routes = Object.keys(propertiesOf(withCors, "AWS::ApiGatewayV2::Route"));
    expect(DependsOn).toEqual(expect.arrayContaining(routes));
  });

  test("of the storefront are throttled as the config says, and its preflights like its reads", () => {
    const requestsPerSecond = { create: 7, query: 9 };
    const limited = stackInWords({ storefront: { cors, requestsPerSecond } });
    const { RouteSettings } = limited.Resources["HttpStage"]!.Properties;
    const rates = Object.entries<{ ThrottlingRateLimit: number }>(RouteSettings).map(
      ([route, { ThrottlingRateLimit }]) => [route, ThrottlingRateLimit],
    );
    expect(Object.fromEntries(rates)).toEqual({
      "POST /callbacks": 500,
      "POST /orders": 7,
      "GET /orders/{orderNo+}": 9,
      "GET /payments/{paymentId}": 9,
      "OPTIONS /{path+}": 9,
      $default: 20,
    });
  });

  test("may be called only through this API", () => {
    const permissions = Object.values(propertiesOf(stack, "AWS::Lambda::Permission"))
      .filter(({ Principal }) => Principal === "apigateway.amazonaws.com")
      .map(({ SourceArn }) => SourceArn);
    expect(permissions).toHaveLength(5);
    for (const arn of permissions) expect(arn).toContain(":HttpApi/*/*");
  });
});

test("CORS is off, or names the configured origins and lets signed and tokened calls through", () => {
  expect(ofType(stack, "Api")[0]).not.toHaveProperty("CorsConfiguration");
  const allowed = ["content-type", "authorization", "x-amz-date", "x-amz-security-token"];
  // No credentials of the browser.
  expect(ofType(withCors, "Api")[0].CorsConfiguration).toEqual({
    AllowOrigins: cors.origins,
    AllowMethods: ["GET", "POST"],
    AllowHeaders: [...allowed, "idempotency-key", "traceparent"],
    ExposeHeaders: ["location", "retry-after"],
    MaxAge: expect.any(Number),
  });
});

describe("the address", () => {
  const name = "pay.example.com";
  const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/abc";
  const hosted = stackInWords({ domain: { name, certificateArn, hostedZone: "Z0123456789" } });
  const withDomain = stackInWords({ domain: { name, certificateArn } });
  const callbackUrlOf = (template: StackTemplate) =>
    functionNamed(template, "create-order").Properties.Environment.Variables.CALLBACK_URL;

  test("is the API's own unless there is a domain", () => {
    const template = synthesizeTemplate();
    expect(callbackUrlOf(template)).toEqual(template.Outputs["CallbackUrl"]!.Value);
    expect(ofType(stack, "DomainName")).toEqual([]);
  });

  test("is the domain when there is one, for the payment service too", () => {
    const url = "https://pay.example.com/callbacks";
    expect([withDomain.Outputs["CallbackUrl"]!.Value, callbackUrlOf(withDomain)]).toEqual([
      url,
      url,
    ]);
    expect(ofType(withDomain, "DomainName")).toMatchObject([
      {
        DomainName: name,
        DomainNameConfigurations: [{ CertificateArn: certificateArn, EndpointType: "REGIONAL" }],
      },
    ]);
    const mapping = { ApiId: "HttpApi", DomainName: "HttpDomainName", Stage: "HttpStage" };
    expect(ofType(withDomain, "ApiMapping")).toEqual([mapping]);
  });

  test("stays reachable under the API's own name beside a domain, for orders created before", () => {
    expect(ofType(withDomain, "Api")[0].DisableExecuteApiEndpoint ?? false).toBe(false);
  });

  test("gets a DNS record in the hosted zone, or says what the record has to point at", () => {
    expect(resourcesOf(withDomain, "AWS::Route53::RecordSet")).toEqual([]);
    expect(withDomain.Outputs["DomainTarget"]!.Value).toBe("HttpDomainName.RegionalDomainName");
    expect(propertiesOf(hosted, "AWS::Route53::RecordSet")).toEqual({
      HttpDomainRecord: {
        HostedZoneId: "Z0123456789",
        Name: name,
        Type: "A",
        AliasTarget: { DNSName: "HttpDomainName", HostedZoneId: "HttpDomainName" },
      },
    });
  });
});

test("the access log has one line for each request, with nothing that a caller sent: no address, path, query, header or identity", () => {
  const { DestinationArn, Format } = ofType(stack, "Stage")[0].AccessLogSettings;
  expect(Format).not.toContain("\n");
  // Made by API Gateway. A caller decides none of these.
  expect(JSON.parse(Format)).toEqual({
    requestId: "$context.requestId",
    time: "$context.requestTimeEpoch",
    route: "$context.routeKey",
    status: "$context.status",
    latency: "$context.responseLatency",
    error: "$context.error.responseType",
    lambdaStatus: "$context.integration.integrationStatus",
    functionStatus: "$context.integration.status",
    functionLatency: "$context.integration.latency",
    functionRequestId: "$context.integration.requestId",
  });
  // This prefix keeps it out of a policy of the account whose length is limited.
  const { Properties, DeletionPolicy } = stack.Resources[DestinationArn]!;
  expect(Properties.LogGroupName).toBe("/aws/vendedlogs/Paycast-access");
  expect(DeletionPolicy).toBe("Delete");
});
