import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { locationOf, requestedOrderNo } from "../../../shared/storefront/named-order.ts";
import { matchRoute } from "../../../tools/local/stack/http/http-api.ts";
import { pathOf, toHttpEvent } from "../../../tools/local/stack/http/http-event.ts";

const routes = [{ routeKey: "GET /orders/{orderNo+}" }, { routeKey: "$default" }];
const numbers = fc
  .string({ unit: "binary", minLength: 1, maxLength: 64 })
  .filter((text) => text !== "." && text !== "..");
const special = "INV-7?a a%2Fb 100% 100%25 #1 a/../b / // - ?".split(" ").concat("a+b c");

interface Request {
  readonly pathParameters?: { readonly orderNo?: string };
  readonly queryStringParameters?: { readonly orderNo?: string; readonly merchantId?: string };
}

/** The event of an HTTP API: the path is decoded, and cut at a question mark. */
function requestTo(location: string): Request {
  // As a browser or fetch sends it.
  const { pathname, search } = new URL(location, "http://127.0.0.1");
  const url = `${pathname}${search}`;
  const matched = matchRoute(routes, "GET", pathOf(url));
  expect(matched?.route.routeKey).toBe("GET /orders/{orderNo+}");
  const request = { method: "GET", url, rawHeaders: [], protocol: "", sourceIp: "" };
  return toHttpEvent(
    { ...request, body: Buffer.from("") },
    {
      routeKey: "GET /orders/{orderNo+}",
      pathParameters: matched!.pathParameters,
      requestId: "",
      nowMilliseconds: 0,
    },
  ) as Request;
}

const orderNoIn = ({ pathParameters, queryStringParameters }: Request) =>
  requestedOrderNo(pathParameters?.orderNo, queryStringParameters?.orderNo);

describe("the Location of an order", () => {
  test.each(special)("leads to %j", (orderNo) => {
    const location = locationOf({ merchantId: "M1", orderNo }, false);
    expect(orderNoIn(requestTo(location))).toBe(orderNo);
  });

  test("leads to the order whatever its number is, and names its merchant if there are several", () => {
    fc.assert(
      fc.property(numbers, (orderNo) => {
        const request = requestTo(locationOf({ merchantId: "M-1", orderNo }, true));
        expect(orderNoIn(request)).toBe(orderNo);
        expect(request.queryStringParameters?.merchantId).toBe("M-1");
      }),
    );
  });

  test("leads to the order also if its path is decoded once more", () => {
    fc.assert(
      fc.property(fc.oneof(numbers, fc.constantFrom(...special)), (orderNo) => {
        const request = requestTo(locationOf({ merchantId: "M1", orderNo }, false));
        const inPath = decodeURIComponent(request.pathParameters!.orderNo!);
        expect(requestedOrderNo(inPath, request.queryStringParameters?.orderNo)).toBe(orderNo);
      }),
    );
  });

  test("is a plain path for a plain number", () => {
    const name = { merchantId: "M1", orderNo: "SO-2026_0004.81~" };
    expect(locationOf(name, false)).toBe("/orders/SO-2026_0004.81~");
    expect(locationOf(name, true)).toBe("/orders/SO-2026_0004.81~?merchantId=M1");
  });
});

test("a number in the query string counts only where the path asks for it", () => {
  expect(requestedOrderNo("A", "B")).toBe("A");
  expect(requestedOrderNo("-", undefined)).toBe("-");
});
