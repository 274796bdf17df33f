import { describe, expect, test } from "vitest";
import { faultsOf, orderBody, read } from "./order-body.ts";

const sentTo = (redirectUrl: string, channel = "WEB") =>
  read(orderBody({ redirectUrl, channel })).body;
const faultsAt = (redirectUrl: string, channel = "WEB") =>
  faultsOf(orderBody({ redirectUrl, channel }));

describe("a redirectUrl", () => {
  test.each([
    "https://shop.example",
    "https://shop.example/",
    "https://shop.example/thanks?order=1&ok=%20#paid",
    "https://shop.example:443/thanks",
    "https://SHOP.EXAMPLE/thanks",
    "HTTPS://shop.example/thanks",
    "https://shop.example/@evil.example/",
    "https://shop.example/?to=https://evil.example",
    "https://shop.example/грошi",
    "http://localhost:3000/thanks",
  ])("of an allowed origin is passed on as it is: %s", (redirectUrl) => {
    expect(sentTo(redirectUrl)).toMatchObject({ redirectUrl });
    expect(sentTo(redirectUrl, "APP")).toMatchObject({ redirectUrl });
  });

  const elsewhere =
    "/redirectUrl: redirectUrl must begin with one of https://shop.example, http://localhost:3000, myshop:, the redirectOrigins of the stack's config.";

  test.each([
    "https://evil.example/",
    "https://shop.example.evil.example/",
    "https://evilshop.example/",
    "https://sub.shop.example/",
    "https://shop.example./",
    "https://shop.example:8443/",
    "https://shop.example%2eevil.example/",
    "https://evil.example/https://shop.example/",
    "https://evil.example#https://shop.example/",
    "https://evil.example?https://shop.example/",
    "https://shop.example。evil.example/",
    "https://sһop.example/",
    "http://shop.example/",
    "http://localhost/",
    "http://127.0.0.1:3000/",
  ])("of another origin is refused: %s", (redirectUrl) => {
    expect(faultsAt(redirectUrl)).toEqual([elsewhere]);
    expect(faultsAt(redirectUrl, "APP")).toEqual([elsewhere]);
  });

  test.each([
    "https://shop.example@evil.example/",
    "https://shop.example:443@evil.example/",
    "https://user@shop.example/",
    "https://:secret@shop.example/",
    "https://shop.example%40evil.example@evil.example/",
  ])("with a user name or a password is refused: %s", (redirectUrl) => {
    expect(faultsAt(redirectUrl)).toEqual([
      "/redirectUrl: redirectUrl must not hold a user name or a password.",
    ]);
  });

  test.each([
    "https://shop.example\\@evil.example/",
    "https:\\\\shop.example/",
    "https://shop.example/\\evil.example",
    "https:shop.example/",
    "https:/shop.example/",
    "https:///shop.example/",
    " https://shop.example/",
    "https://shop.example/ ",
    "https://shop.example/a b",
    "https://shop.exa\tmple/",
    "https://shop.example/\r\nlocation: https://evil.example/",
    "\u0000https://shop.example/",
    "https://shop.example/\u0085",
    "https://shop.example/\u2028",
  ])("that programs read in different ways is refused: %j", (redirectUrl) => {
    expect(faultsAt(redirectUrl)).toEqual([
      "/redirectUrl: redirectUrl must be written in full: https://, a host, and no space or backslash.",
    ]);
  });

  test.each(["/thanks", "//shop.example/", "shop.example/thanks", "https://", "https://[::1", "?"])(
    "that is no absolute address is refused: %j",
    (redirectUrl) => {
      expect(faultsAt(redirectUrl)).toEqual([
        "/redirectUrl: redirectUrl must be an absolute address.",
      ]);
    },
  );

  test("is refused where the config allows none, and may always be left out", () => {
    const body = orderBody({ redirectUrl: "https://shop.example/" });
    const none = { redirects: { origins: [], loopback: false } };
    expect(faultsOf(body, none)).toEqual([
      "/redirectUrl: redirectUrl must be left out: the stack's config allows no redirectOrigins.",
    ]);
    expect(read(orderBody(), none).body).not.toHaveProperty("redirectUrl", "");
  });
});

describe("an app's own scheme", () => {
  test.each(["myshop:thanks", "myshop://thanks?order=1", "MYSHOP://thanks"])(
    "is for channel APP alone: %s",
    (redirectUrl) => {
      expect(sentTo(redirectUrl, "APP")).toMatchObject({ redirectUrl });
      expect(faultsAt(redirectUrl)).toEqual([
        "/redirectUrl: redirectUrl must be an https address; only channel APP may use an app's own scheme.",
      ]);
    },
  );

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)//https://shop.example/",
    "data:text/html,hello",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://shop.example/1",
    "about:blank",
    "myshop2://thanks",
    "othershop:thanks",
    "intent://thanks#Intent;end",
  ])("is one of the config: not %s", (redirectUrl) => {
    expect(faultsAt(redirectUrl, "APP")).toHaveLength(1);
    expect(faultsAt(redirectUrl)).toHaveLength(1);
  });
});

describe("without redirectOrigins", () => {
  const anywhere = { redirects: { loopback: false } };
  const passedOn = (redirectUrl: string, channel: string) =>
    read(orderBody({ redirectUrl, channel }), anywhere).body;
  const faults = (redirectUrl: string, channel: string) =>
    faultsOf(orderBody({ redirectUrl, channel }), anywhere);

  test.each(["https://shop.example/thanks?order=1", "https://a.example:8443", "https://[::1]/"])(
    "any https address is passed on: %s",
    (redirectUrl) => {
      expect(passedOn(redirectUrl, "WEB")).toMatchObject({ redirectUrl });
      expect(passedOn(redirectUrl, "APP")).toMatchObject({ redirectUrl });
    },
  );

  test.each([
    "myshop:thanks",
    "com.example.shop://thanks",
    "intent://thanks#Intent;end",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,hello",
    "filesystem:https://shop.example/temporary/x",
    "view-source:https://shop.example/",
    "ftp://shop.example/",
    "ws://shop.example/",
  ])("no other scheme is passed on, not for channel APP either: %s", (redirectUrl) => {
    expect(faults(redirectUrl, "APP")).toEqual([
      "/redirectUrl: redirectUrl must be an https address; the stack's config can list an app's own scheme in redirectOrigins.",
    ]);
    expect(faults(redirectUrl, "WEB")).toEqual([
      "/redirectUrl: redirectUrl must be an https address; only channel APP may use an app's own scheme.",
    ]);
  });

  test.each([
    "http://shop.example/",
    "http://localhost/",
    "http://127.0.0.1:3009/",
    "https://user@shop.example/",
    "https://shop.example\\@evil.example/",
    "//shop.example/",
  ])("what is no plain https address is refused: %s", (redirectUrl) => {
    expect(faults(redirectUrl, "APP")).toHaveLength(1);
    expect(faults(redirectUrl, "WEB")).toHaveLength(1);
  });
});

describe("where loopback addresses are allowed", () => {
  const rules = (origins?: string[]) => ({ redirects: { origins, loopback: true } });

  test.each(["http://localhost:4709/", "http://127.0.0.1:3009/x", "http://[::1]:1/"])(
    "http on this machine is passed on, with a list and without: %s",
    (redirectUrl) => {
      for (const origins of [undefined, [], ["https://shop.example"]]) {
        const { body } = read(orderBody({ redirectUrl }), rules(origins));
        expect(body).toMatchObject({ redirectUrl });
      }
    },
  );

  test.each([
    "http://shop.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost.evil.example/",
    "http://localhost:3000@evil.example/",
  ])("http elsewhere is refused: %s", (redirectUrl) => {
    expect(faultsOf(orderBody({ redirectUrl }), rules())).toHaveLength(1);
  });

  test("they do not widen the list", () => {
    const body = orderBody({ redirectUrl: "https://evil.example/" });
    expect(faultsOf(body, rules(["https://shop.example"]))).toHaveLength(1);
  });
});
