import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textEncodings } from "../../../shared/envelope/profile.ts";
import { decodeText, decodeUtf8, encodeText } from "../../../shared/envelope/text.ts";
import { draws } from "../../setup/draws.ts";

const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));

test("what is encoded decodes to the same bytes, in every encoding", () => {
  fc.assert(
    fc.property(anyBytes, fc.constantFrom(...textEncodings), (bytes, encoding) => {
      expect(decodeText(encodeText(bytes, encoding), encoding)).toEqual(bytes);
    }),
  );
});

test("a text that decodes is spelled as it would be encoded, but for line breaks, padding and case", () => {
  const lookalike = fc.string({ unit: fc.constantFrom(..."AQgw/+-_=09fF\n\r zé") });
  fc.assert(
    fc.property(lookalike, fc.constantFrom(...textEncodings), (text, encoding) => {
      const bytes = decodeText(text, encoding);
      if (bytes === undefined) return;
      const written = encoding === "hex" ? text.toLowerCase() : text.replace(/[\r\n]/g, "");
      const spelled = encoding === "base64url" ? written.replace(/={1,2}$/, "") : written;
      expect(encodeText(bytes, encoding)).toBe(spelled);
    }),
    { numRuns: draws(2_000) },
  );
});

describe("a text is decoded", () => {
  test.each([
    ["base64", "with line breaks inside", "aGVs\r\nbG8\n=\n", "68656c6c6f"],
    ["base64url", "without padding", "_-8", "ffef"],
    ["base64url", "with padding", "_-8=", "ffef"],
    ["hex", "in either case", "00fFAb", "00ffab"],
  ] as const)("from %s %s", (encoding, _what, text, bytes) => {
    expect(decodeText(text, encoding)?.toString("hex")).toBe(bytes);
  });

  test("from hex that is as long as a callback may be, and refused if it is wrong", () => {
    expect(decodeText("ab".repeat(131_072), "hex")).toHaveLength(131_072);
    expect(decodeText(`${"ab".repeat(131_072)}z`, "hex")).toBeUndefined();
  });
});

describe("a text is refused", () => {
  test.each([
    ["base64", "too much padding", "aGVsbG8=="],
    ["base64", "bits that no byte needs", "aGVsbG9="],
    ["base64", "the url alphabet", "_-8="],
    ["base64", "a space", "aGVs bG8="],
    ["base64", "a character beyond ASCII", "aGVsbGé="],
    ["base64url", "the other alphabet", "/+8"],
    ["base64url", "bits that no byte needs", "_-9"],
    ["base64url", "too much padding", "_-8==="],
    ["hex", "half a byte", "0"],
    ["hex", "a letter too far", "0g"],
    ["hex", "a line break at the end", "00\n"],
    ["hex", "a character beyond ASCII", "é0"],
  ] as const)("as %s with %s", (encoding, _what, text) => {
    expect(decodeText(text, encoding)).toBeUndefined();
  });
});

describe("UTF-8", () => {
  test("text of any script comes back whole, a byte order mark too", () => {
    const text = "\ufeff支付 ñ 𝄞 \u0000";
    expect(decodeUtf8(Buffer.from(text))).toBe(text);
  });

  test.each([
    ["a continuation alone", [0x80]],
    ["a sequence cut short", [0xe6, 0x94]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
    ["beyond the last code point", [0xf4, 0x90, 0x80, 0x80]],
    ["a Latin-1 letter", [0x61, 0xe9, 0x61]],
  ])("refused: %s", (_what, bytes) => {
    expect(decodeUtf8(Buffer.from(bytes))).toBeUndefined();
  });
});
