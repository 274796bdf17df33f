import { describe, expect, test } from "vitest";
import {
  functionNamed,
  plainId,
  resourceNamed,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();

function routesOf(stack: StackTemplate): Record<string, string> {
  const routes = resourcesOf(stack, "AWS::ApiGatewayV2::Route");
  return Object.fromEntries(
    routes.map(([, { Properties }]) => [Properties.RouteKey, Properties.AuthorizationType]),
  );
}

function targetOf(stack: StackTemplate, routeKey: string): string {
  const routes = resourcesOf(stack, "AWS::ApiGatewayV2::Route");
  const route = routes.find(([, { Properties }]) => Properties.RouteKey === routeKey)![1];
  const integration = resourceNamed(stack, spell(route.Properties.Target).split("/")[1]!);
  return spell(integration.Properties.IntegrationUri);
}

/** Requests per second and in a burst, by route. */
function limitsOf(stack: StackTemplate): Record<string, [number, number]> {
  type Settings = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number };
  const settings: [string, Settings][] = Object.entries(
    resourceNamed(stack, "HttpStage").Properties.RouteSettings,
  );
  return Object.fromEntries(
    settings.map(([route, { ThrottlingRateLimit, ThrottlingBurstLimit }]) => [
      route,
      [ThrottlingRateLimit, ThrottlingBurstLimit],
    ]),
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
    expect(targetOf(template, "POST /callbacks")).toBe("IntakeReceiveCallbackFunction");
    expect(targetOf(template, "POST /orders")).toBe("StorefrontCreateOrderFunction");
    expect(targetOf(template, "GET /orders/{orderNo+}")).toBe("StorefrontQueryOrderFunction");
    expect(targetOf(template, "GET /payments/{paymentId}")).toBe("StorefrontQueryOrderFunction");
    expect(targetOf(template, "$default")).toBe("StorefrontQueryOrderFunction");
    for (const [, { Properties }] of resourcesOf(template, "AWS::ApiGatewayV2::Integration")) {
      expect(Properties).toMatchObject({
        IntegrationType: "AWS_PROXY",
        PayloadFormatVersion: "2.0",
      });
    }
  });

  test("ask the storefront's callers for IAM signatures by default, and the payment service for nothing", () => {
    expect(routesOf(template)).toEqual(withAccess("AWS_IAM"));
  });

  test("ask for a token of the configured issuer when access is jwt", () => {
    const stack = synthesizeTemplate({
      storefront: { access: "jwt", issuer: "https://id.example.com/", audience: ["shop"] },
    });
    expect(routesOf(stack)).toEqual(withAccess("JWT"));
    const [, authorizer] = resourcesOf(stack, "AWS::ApiGatewayV2::Authorizer")[0]!;
    expect(authorizer.Properties).toMatchObject({
      AuthorizerType: "JWT",
      JwtConfiguration: { Issuer: "https://id.example.com/", Audience: ["shop"] },
      IdentitySource: ["$request.header.Authorization"],
    });
  });

  test("are open only when the config says so", () => {
    expect(routesOf(synthesizeTemplate({ storefront: { access: "open" } }))).toEqual(
      withAccess("NONE"),
    );
  });

  test("take callbacks alone when there is no payment service to call", () => {
    const stack = synthesizeTemplate({ gateway: undefined });
    expect(routesOf(stack)).toEqual({ "POST /callbacks": "NONE" });
    expect(resourcesOf(stack, "AWS::Lambda::Function")).toHaveLength(3);
  });

  test("are each throttled, with twice a second's requests in a burst", () => {
    expect(limitsOf(template)).toEqual({
      // Far above any merchant's sales, so that no flood of orders or reads takes it away.
      "POST /callbacks": [500, 1000],
      "POST /orders": [100, 200],
      "GET /orders/{orderNo+}": [200, 400],
      "GET /payments/{paymentId}": [200, 400],
      // Nobody needs a path that does not exist.
      $default: [20, 40],
    });
  });

  test("exist before the stage that throttles them", () => {
    const { DependsOn = [] } = resourceNamed(template, "HttpStage");
    const routes = resourcesOf(template, "AWS::ApiGatewayV2::Route").map(([id]) => id);
    expect(DependsOn).toEqual(expect.arrayContaining(routes));
  });

  test("may be called only through this API", () => {
    const permissions = resourcesOf(template, "AWS::Lambda::Permission")
      .filter(([, { Properties }]) => Properties.Principal === "apigateway.amazonaws.com")
      .map(([, { Properties }]) => spell(Properties.SourceArn));
    expect(permissions).toHaveLength(5);
    for (const arn of permissions) expect(arn).toContain(":HttpApi/*/*");
  });
});

describe("CORS", () => {
  const cors = { origins: ["https://shop.example.com"] };

  test("is off unless origins are configured", () => {
    expect(resourceNamed(template, "HttpApi").Properties).not.toHaveProperty("CorsConfiguration");
  });

  test("names the configured origins and lets signed and tokened calls through", () => {
    const stack = synthesizeTemplate({ storefront: { cors } });
    const { CorsConfiguration } = resourceNamed(stack, "HttpApi").Properties;
    expect(CorsConfiguration).toMatchObject({
      AllowOrigins: ["https://shop.example.com"],
      AllowMethods: ["GET", "POST"],
      AllowHeaders: [
        "content-type",
        "authorization",
        "x-amz-date",
        "x-amz-security-token",
        "idempotency-key",
        "traceparent",
      ],
      ExposeHeaders: ["location", "retry-after"],
    });
    expect(CorsConfiguration).not.toHaveProperty("AllowCredentials");
  });

  test("has a route for preflights, so that they need no signature and do not count as unknown paths", () => {
    const stack = synthesizeTemplate({ storefront: { cors } });
    expect(routesOf(stack)).toEqual({ ...withAccess("AWS_IAM"), "OPTIONS /{path+}": "NONE" });
    expect(limitsOf(stack)["OPTIONS /{path+}"]).toEqual([200, 400]);
  });
});

describe("the address", () => {
  const domain = {
    name: "pay.example.com",
    certificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/abc",
  };

  test("is the API's own unless there is a domain", () => {
    expect(spell(template.Outputs["CallbackUrl"]!.Value)).toBe("HttpApi/callbacks");
    expect(spell(template.Outputs["ApiUrl"]!.Value)).toBe("HttpApi");
    const { CALLBACK_URL } = functionNamed(template, "create-order").Properties.Environment
      .Variables;
    expect(CALLBACK_URL).toEqual(template.Outputs["CallbackUrl"]!.Value);
    expect(resourcesOf(template, "AWS::ApiGatewayV2::DomainName")).toEqual([]);
  });

  test("is the domain when there is one, for the payment service too", () => {
    const stack = synthesizeTemplate({ domain });
    expect(stack.Outputs["CallbackUrl"]!.Value).toBe("https://pay.example.com/callbacks");
    const { CALLBACK_URL } = functionNamed(stack, "create-order").Properties.Environment.Variables;
    expect(CALLBACK_URL).toBe("https://pay.example.com/callbacks");
    expect(resourceNamed(stack, "HttpDomainName").Properties).toMatchObject({
      DomainName: "pay.example.com",
      DomainNameConfigurations: [
        { CertificateArn: domain.certificateArn, EndpointType: "REGIONAL" },
      ],
    });
    const mapping = resourceNamed(stack, "HttpDomainMapping").Properties;
    expect([mapping.ApiId, mapping.DomainName, mapping.Stage].map(spell)).toEqual([
      "HttpApi",
      "HttpDomainName",
      "HttpStage",
    ]);
  });

  test("stays reachable under the API's own name beside a domain, for orders created before", () => {
    const api = resourceNamed(synthesizeTemplate({ domain }), "HttpApi").Properties;
    expect(api.DisableExecuteApiEndpoint ?? false).toBe(false);
  });

  test("gets a DNS record in the hosted zone, or says what the record has to point at", () => {
    const without = synthesizeTemplate({ domain });
    expect(resourcesOf(without, "AWS::Route53::RecordSet")).toEqual([]);
    expect(without.Outputs["DomainTarget"]!.Value).toEqual({
      "Fn::GetAtt": [expect.stringMatching(/^HttpDomainName/), "RegionalDomainName"],
    });
    const stack = synthesizeTemplate({ domain: { ...domain, hostedZone: "Z0123456789" } });
    const [id, record] = resourcesOf(stack, "AWS::Route53::RecordSet")[0]!;
    expect(plainId(id)).toBe("HttpDomainRecord");
    expect(record.Properties).toMatchObject({
      HostedZoneId: "Z0123456789",
      Name: "pay.example.com",
      Type: "A",
    });
  });
});

/** What API Gateway itself makes of a request. A caller decides none of these. */
const madeByApiGateway = [
  "$context.error.responseType",
  "$context.integration.integrationStatus",
  "$context.integration.latency",
  "$context.integration.requestId",
  "$context.integration.status",
  "$context.requestId",
  "$context.requestTimeEpoch",
  "$context.responseLatency",
  "$context.routeKey",
  "$context.status",
];

describe("the access log", () => {
  const stage = resourceNamed(template, "HttpStage").Properties;
  const format: Record<string, string> = JSON.parse(stage.AccessLogSettings.Format);

  test("holds nothing that a caller sent, no address, path, query, header or identity, in one line", () => {
    expect(Object.values(format).sort()).toEqual(madeByApiGateway);
    expect(stage.AccessLogSettings.Format).not.toContain("\n");
  });

  test("says of each request the route, the status, the latency and the error, and leads to the function's lines", () => {
    expect(Object.keys(format)).toEqual(
      expect.arrayContaining(["route", "status", "latency", "error", "functionRequestId"]),
    );
  });

  test("goes to a log group that is kept for 90 days and named so that no policy of the account grows", () => {
    expect(spell(stage.AccessLogSettings.DestinationArn)).toBe("HttpAccessLog");
    const { Properties, DeletionPolicy } = resourceNamed(template, "HttpAccessLog");
    expect(Properties).toEqual({
      LogGroupName: "/aws/vendedlogs/Paycast-access",
      RetentionInDays: 90,
    });
    expect(DeletionPolicy).toBe("Delete");
  });
});
