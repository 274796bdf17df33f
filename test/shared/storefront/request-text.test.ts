import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { requestText } from "../../../shared/storefront/read-order.ts";

const asText = (body: string) => ({ body, isBase64Encoded: false });
const asBase64 = (bytes: Buffer) => ({ body: bytes.toString("base64"), isBase64Encoded: true });

function problemWith(request: { body: string; isBase64Encoded: boolean }) {
  try {
    requestText(request);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error("It was accepted.");
}

const most = 256 * 1024;
const tooLarge = { type: "urn:paycast:problem:body-too-large", status: 413 };

describe("a request's text", () => {
  test("is its body as it is, or as base64 of UTF-8", () => {
    expect(requestText(asText("{}"))).toBe("{}");
    expect(requestText(asBase64(Buffer.from('"é🛒"')))).toBe('"é🛒"');
    expect(requestText({ isBase64Encoded: false })).toBe("");
  });

  test("is refused, not repaired, if its bytes are not UTF-8", () => {
    expect(problemWith(asBase64(Buffer.from([0x22, 0xe9, 0x22])))).toMatchObject({
      type: "urn:paycast:problem:body-invalid",
      status: 400,
      errors: [{ pointer: "", detail: "The body is not UTF-8." }],
    });
  });

  test("may have 256 KiB, counted in bytes, and not one more", () => {
    expect(requestText(asText("x".repeat(most)))).toHaveLength(most);
    expect(requestText(asBase64(Buffer.alloc(most, "x")))).toHaveLength(most);
    expect(problemWith(asText("x".repeat(most + 1)))).toMatchObject(tooLarge);
    expect(problemWith(asBase64(Buffer.alloc(most + 1, "x")))).toMatchObject(tooLarge);
    expect(problemWith(asText("🛒".repeat(most / 4 + 1)))).toMatchObject(tooLarge);
  });

  test("is too large before it is anything else, also if it is not UTF-8", () => {
    expect(problemWith(asBase64(Buffer.alloc(most + 1, 0xff)))).toMatchObject(tooLarge);
  });
});
