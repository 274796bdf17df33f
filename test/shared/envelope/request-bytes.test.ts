import { describe, expect, test, vi } from "vitest";
import { readEnvelope, requestBytes } from "../../../shared/envelope/envelope.ts";
import { mostRequestBytes } from "../../../shared/http/request-body.ts";
import { bytesOf, refusalOf, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const plain = sealedCallback(makeMerchant());
const refusedBytes = (bytes: Buffer) => refusalOf(() => readEnvelope(bytes));

describe("bytes that are no envelope", () => {
  test.each([
    ["not-utf-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["empty-body", Buffer.from("")],
    ["not-json", Buffer.from("{")],
    ["not-json", Buffer.from("id=1&sign=2")],
    ["not-json", Buffer.from(`\ufeff\ufeff${JSON.stringify(plain)}`)],
    ["not-json", Buffer.from("[".repeat(200_000))],
    ["not-an-envelope", Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
  ])("%s", (reason, bytes) => {
    expect(refusedBytes(bytes)).toMatchObject({ refusalClass: "not-an-envelope", reason });
  });
});

test.each(["null", "[]", '"text"', "42"])("%s is reported as not an object", (json) => {
  expect(refusedBytes(Buffer.from(json)).detail).toBe("the envelope must be an object");
});

describe("size", () => {
  const padded = (bytes: number) => Buffer.from(JSON.stringify(plain).padEnd(bytes, " "));

  test("256 KiB is read, a byte more is too large", () => {
    expect(readEnvelope(padded(mostRequestBytes)).id).toBeDefined();
    const refusal = refusedBytes(padded(mostRequestBytes + 1));
    expect(refusal).toMatchObject({ refusalClass: "too-large", reason: "too-large" });
  });

  test("it is measured in bytes, not in characters", () => {
    const text = JSON.stringify({ ...plain, extra: "支".repeat(mostRequestBytes / 3) });
    expect(text.length).toBeLessThan(mostRequestBytes);
    expect(refusedBytes(Buffer.from(text)).reason).toBe("too-large");
  });

  test("what is too large is never parsed", () => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(refusedBytes(padded(mostRequestBytes + 1)).reason).toBe("too-large");
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });
});

describe("API Gateway's base64 flag", () => {
  const bytes = bytesOf(plain);

  test("without it the body is text, with it the body is decoded", () => {
    expect(requestBytes({ body: bytes.toString(), isBase64Encoded: false })).toEqual(bytes);
    expect(requestBytes({ body: bytes.toString("base64"), isBase64Encoded: true })).toEqual(bytes);
    expect(requestBytes({ body: undefined, isBase64Encoded: false })).toHaveLength(0);
    expect(requestBytes({ body: undefined, isBase64Encoded: true })).toHaveLength(0);
  });

  test("a body that is not base64, though the flag says so, is not an envelope", () => {
    for (const body of [bytes.toString(), "e30", "e30=="]) {
      const refusal = refusalOf(() => requestBytes({ body: body, isBase64Encoded: true }));
      expect(refusal).toMatchObject({ refusalClass: "not-an-envelope", reason: "not-base64" });
    }
  });

  test("the largest body passes, and a larger one is refused before it is decoded", () => {
    const largest = Buffer.alloc(mostRequestBytes, " ");
    expect(requestBytes({ body: largest.toString("base64"), isBase64Encoded: true })).toHaveLength(
      mostRequestBytes,
    );
    const decode = vi.spyOn(Buffer, "from");
    try {
      const refusal = refusalOf(() =>
        requestBytes({ body: "A".repeat(349_532), isBase64Encoded: true }),
      );
      expect(refusal).toMatchObject({ refusalClass: "too-large", reason: "too-large" });
      expect(decode).not.toHaveBeenCalled();
    } finally {
      decode.mockRestore();
    }
  });
});
