import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textEncodings } from "../../../shared/envelope/profile.ts";
import { decodeText, decodeUtf8, encodeText } from "../../../shared/envelope/text.ts";

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
    { numRuns: 2_000 },
  );
});

describe("base64", () => {
  test("line breaks inside are read", () => {
    expect(decodeText("aGVs\r\nbG8\n=\n", "base64")?.toString()).toBe("hello");
  });

  test.each([
    ["no padding", "aGVsbG8"],
    ["too much padding", "aGVsbG8=="],
    ["padding in the middle", "aG==bG8="],
    ["bits that no byte needs", "aGVsbG9="],
    ["the url alphabet", "_-8="],
    ["a space", "aGVs bG8="],
    ["a tab", "aGVs\tbG8="],
    ["a character from outside", "aGVs*G8="],
    ["a character beyond ASCII", "aGVsbGé="],
    ["text after the padding", "aGVsbG8=aGVs"],
  ])("refused: %s", (_what, text) => {
    expect(decodeText(text, "base64")).toBeUndefined();
  });
});

describe("base64url", () => {
  test("padding may be there or not", () => {
    expect(decodeText("_-8", "base64url")).toEqual(Buffer.from([0xff, 0xef]));
    expect(decodeText("_-8=", "base64url")).toEqual(Buffer.from([0xff, 0xef]));
  });

  test.each(["/+8", "_-9", "_ -8", "_-8===", "_"])("refused: %s", (text) => {
    expect(decodeText(text, "base64url")).toBeUndefined();
  });
});

describe("hex", () => {
  test("either case is read", () => {
    expect(decodeText("00fFAb", "hex")).toEqual(Buffer.from([0, 255, 171]));
  });

  test.each(["0", "0g", "0x00", "00 11", "00\n11", "00\n", "é0"])("refused: %j", (text) => {
    expect(decodeText(text, "hex")).toBeUndefined();
  });

  test("a text as long as a callback may be is decided, right or wrong", () => {
    expect(decodeText("ab".repeat(131_072), "hex")).toHaveLength(131_072);
    expect(decodeText(`${"ab".repeat(131_072)}z`, "hex")).toBeUndefined();
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
