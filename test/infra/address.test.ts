import { describe, expect, test } from "vitest";
import {
  functionNamed,
  plainId,
  resourceNamed,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();

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
