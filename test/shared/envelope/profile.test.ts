import { describe, expect, test } from "vitest";
import { jsonStyles } from "../../../shared/envelope/json-style.ts";
import {
  bodiesInJson,
  changesFromDefault,
  cipherModes,
  defaultProfile,
  distanceFromDefault,
  ivPlacements,
  keyEncodings,
  omittableFields,
  readProfile,
  signatureHashes,
  signaturePaddings,
  signedBodies,
  signedForms,
  textEncodings,
} from "../../../shared/envelope/profile.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { thrownBy } from "../../builders/thrown-by.ts";

function problemOf(input: unknown): string {
  const error = thrownBy(PaycastError, () => readProfile(input));
  expect(error).toMatchObject({ code: "profile-invalid", retryable: false });
  return error.message;
}

test("a profile that says nothing is the documented default", () => {
  expect(readProfile({})).toEqual(defaultProfile);
  expect(defaultProfile).toEqual({
    signs: "plaintext",
    signedForm: "sorted-pairs",
    bodyInJson: "text",
    jsonStyle: "plain",
    unsignedFields: [],
    signatureHash: "SHA-256",
    signaturePadding: "PKCS1-v1_5",
    signatureEncoding: "base64",
    cipher: "CBC",
    iv: "zero",
    keyEncoding: "base64",
    bodyEncoding: "base64",
    minimumRsaBits: 2048,
    numbers: "number",
    goodsAmountName: "goodsAmount",
  });
});

describe("a value that is not allowed is refused by the name of its field and what it may be", () => {
  const axes: [string, readonly string[]][] = [
    ["signs", signedBodies],
    ["signedForm", signedForms],
    ["bodyInJson", bodiesInJson],
    ["jsonStyle", jsonStyles],
    ["signatureHash", signatureHashes],
    ["signaturePadding", signaturePaddings],
    ["signatureEncoding", textEncodings],
    ["cipher", cipherModes],
    ["iv", ivPlacements],
    ["keyEncoding", keyEncodings],
    ["bodyEncoding", textEncodings],
    ["numbers", ["number", "string"]],
    ["goodsAmountName", ["goodsAmount", "goodsUnitAmount"]],
  ];

  test.each(axes)("%s", (field, allowed) => {
    for (const wrong of ["hunter2", "", 7, null, [], {}]) {
      const problem = problemOf({ [field]: wrong });
      expect(problem).toContain(`${field} must be one of`);
      for (const value of allowed) expect(problem).toContain(JSON.stringify(value));
      expect(problem).not.toContain("hunter2");
    }
  });

  test("an unsigned field, by its place in the list", () => {
    const problem = problemOf({ unsignedFields: ["id", "body"] });
    expect(problem).toContain("unsignedFields.1 must be one of");
    for (const field of omittableFields) expect(problem).toContain(`"${field}"`);
  });

  test("the number of RSA bits, below 1024, above 16384 or broken", () => {
    expect(problemOf({ minimumRsaBits: 512 })).toContain("minimumRsaBits must be at least 1024");
    expect(problemOf({ minimumRsaBits: 1e6 })).toContain("minimumRsaBits must be at most 16384");
    expect(problemOf({ minimumRsaBits: 2048.5 })).toContain("minimumRsaBits must be an int");
    expect(problemOf({ minimumRsaBits: "2048" })).toContain("minimumRsaBits must be a");
  });

  test("a field that no profile has, without its name, which may be a key", () => {
    const problem = problemOf({ hash: "SHA-256" });
    expect(problem).toContain("profile must have no other fields than signs, signedForm, ");
    expect(problem).not.toContain("hash,");
  });

  test("several at once, each of them", () => {
    const problem = problemOf({ cipher: "DES", signs: "nothing" });
    expect(problem).toContain("cipher must be one of");
    expect(problem).toContain("signs must be one of");
  });

  test.each([undefined, null, "CBC", 7, ["CBC"]])("what is no object: %j", (input) => {
    expect(problemOf(input)).toContain("profile must be an object");
  });
});

test("only a plaintext can be inside the signed text as JSON", () => {
  expect(readProfile({ bodyInJson: "json" }).bodyInJson).toBe("json");
  expect(readProfile({ signs: "ciphertext" }).bodyInJson).toBe("text");
  const problem = problemOf({ bodyInJson: "json", signs: "ciphertext" });
  expect(problem).toContain('bodyInJson must be "text" when signs is "ciphertext"');
});

describe("the IV", () => {
  test("ECB has none, so it takes only zero", () => {
    expect(readProfile({ cipher: "ECB" }).iv).toBe("zero");
    const wrong = [{ iv: "prefixed" }, { iv: "fixed", fixedIv: "00".repeat(16) }];
    for (const iv of wrong) {
      expect(problemOf({ cipher: "ECB", ...iv })).toContain('iv must be "zero"');
    }
  });

  test("a fixed one must be given, and only then", () => {
    const message = 'fixedIv must be set if and only if iv is "fixed"';
    expect(problemOf({ iv: "fixed" })).toContain(message);
    expect(problemOf({ iv: "zero", fixedIv: "00".repeat(16) })).toContain(message);
    expect(problemOf({ iv: "prefixed", fixedIv: "00".repeat(16) })).toContain(message);
  });

  test("a fixed one is 16 bytes of hex for CBC and 12 for GCM", () => {
    const fixed = (cipher: string, fixedIv: string) => ({ cipher, iv: "fixed", fixedIv });
    expect(readProfile(fixed("CBC", "aB".repeat(16))).fixedIv).toBe("aB".repeat(16));
    expect(readProfile(fixed("GCM", "00".repeat(12))).fixedIv).toBe("00".repeat(12));
    const length = "fixedIv must be 32 hexadecimal digits for CBC, 24 for GCM";
    expect(problemOf(fixed("CBC", "00".repeat(12)))).toContain(length);
    expect(problemOf(fixed("GCM", "00".repeat(16)))).toContain(length);
    expect(problemOf(fixed("CBC", "0g".repeat(16)))).toContain("fixedIv must be hexadecimal");
  });
});

test("what differs from the default is what a person must paste, and is counted", () => {
  const changed = { cipher: "GCM", iv: "prefixed", unsignedFields: ["id", "format"] } as const;
  const profile = readProfile(changed);
  expect(changesFromDefault(profile)).toEqual(changed);
  expect(distanceFromDefault(profile)).toBe(5);
  expect(distanceFromDefault(defaultProfile)).toBe(0);
});
