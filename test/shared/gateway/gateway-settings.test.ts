import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { gatewaySettingsSchema, gatewayUrl } from "../../../shared/gateway/gateway-settings.ts";

function configured(gateway: object) {
  const config = parseConfig({ merchants: ["M1"], subscribers: [], gateway });
  return gatewaySettingsSchema.parse(config.gateway);
}

const base = { baseUrl: "https://pay.example.com" };

describe("the address of an operation", () => {
  test("is the interface's unless the config says otherwise", () => {
    const settings = configured(base);
    expect(gatewayUrl(settings, settings.paths.create).href).toBe(
      "https://pay.example.com/payment/api/v1/payment-order",
    );
    expect(gatewayUrl(settings, settings.paths.query).href).toBe(
      "https://pay.example.com/payment/api/v1/payment-order/query",
    );
  });

  test("has the prefix and the path of the config", () => {
    const settings = configured({
      baseUrl: "https://pay.example.com:8443/",
      pathPrefix: "/cgi",
      paths: { query: "/api/v1/gateway" },
    });
    expect(gatewayUrl(settings, settings.paths.create).href).toBe(
      "https://pay.example.com:8443/cgi/payment/api/v1/payment-order",
    );
    expect(gatewayUrl(settings, settings.paths.query).href).toBe(
      "https://pay.example.com:8443/cgi/api/v1/gateway",
    );
  });

  test.each(["//other.example.com/x", "/\\other.example.com/x", "/@other.example.com/x"])(
    "stays at the service whatever the path: %s",
    (create) => {
      const settings = configured({ ...base, paths: { create } });
      expect(gatewayUrl(settings, settings.paths.create).host).toBe("pay.example.com");
    },
  );
});

describe("the service's address", () => {
  test.each(["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"])(
    "may do without TLS on loopback: %s",
    (baseUrl) => {
      expect(configured({ baseUrl }).baseUrl).toBe(baseUrl);
    },
  );

  test.each([
    "http://pay.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://0.0.0.0:4000",
    "http://10.0.0.1",
    "https://user:secret@pay.example.com",
    "https://pay.example.com/cgi",
    "https://pay.example.com?x=1",
    "ftp://pay.example.com",
    "file:///etc/passwd",
    "pay.example.com",
    "",
  ])("is refused otherwise: %s", (baseUrl) => {
    expect(() => configured({ baseUrl })).toThrow("gateway.baseUrl must be an https address");
  });
});
