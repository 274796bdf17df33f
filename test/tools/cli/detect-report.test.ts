import { describe, expect, test } from "vitest";
import { readProfile } from "../../../shared/envelope/profile.ts";
import type { Capture } from "../../../tools/cli/detect/capture.ts";
import { readSpelling } from "../../../tools/cli/detect/undecided.ts";
import { requestVectors } from "../../vectors/vectors.ts";
import { detectArgs, detected, requestFiles, runHere } from "./run-paycast.ts";
import { filesFor, pem, sealed, stranger } from "./seal-capture.ts";

describe("what one capture cannot tell", () => {
  test("is whether absent fields are signed", async () => {
    const {
      format: _format,
      charset: _charset,
      ...envelope
    } = sealed({
      profile: { unsignedFields: ["format", "charset"] },
    });
    const { profile, undecided } = await detected(filesFor(envelope));
    expect(profile).toEqual({});
    expect(undecided).toContainEqual(
      expect.objectContaining({
        field: "unsignedFields",
        alternatives: ["method", "format", "charset"],
      }),
    );
  });

  test("is not asked where the body alone is signed", async () => {
    const { undecided } = await detected(filesFor(sealed({ profile: { signedForm: "body" } })));
    const fields = undecided.map(({ field }) => field);
    expect(fields).not.toContain("unsignedFields");
    expect(fields).toEqual(expect.arrayContaining(["numbers", "goodsAmountName"]));
  });

  test("is base64 or base64url, where no letter differs: the default is taken", async () => {
    const envelope = untilPlain();
    const { profile, undecided } = await detected(filesFor(envelope));
    expect(profile).toEqual({ cipher: "GCM", iv: "prefixed" });
    expect(undecided).toContainEqual({
      field: "bodyEncoding",
      alternatives: ["base64url"],
      sentence: "bodyEncoding: base64url would fit too.",
    });
  });
});

describe("how bodies are spelled is read off the body:", () => {
  test("the names of a callback need no profile: either is read", async () => {
    const body = { outOrderNo: "1", paidTime: 1_790_000_000_000 };
    const { profile } = await detected(filesFor(sealed({ body })));
    expect(profile).toEqual({});
  });

  test("numbers and goods of a request", async () => {
    for (const vector of requestVectors.filter(({ plaintext }) =>
      plaintext.includes("goodsUnit"),
    )) {
      const { profile } = await detected(requestFiles(vector));
      expect(profile["goodsAmountName"]).toBe("goodsUnitAmount");
      expect(readProfile(profile).numbers).toBe(readProfile(vector.profile).numbers);
    }
    expect.hasAssertions();
  });

  test.each([
    [1_790_000_000_000, '{"orderAmount":1}', { numbers: "number" }],
    [1_790_000_000_000, '{"orderAmount":"1"}', { numbers: "number" }],
    ["1790000000000", '{"orderAmount":"1"}', { numbers: "string" }],
    ["1790000000000", '{"orderAmount":1}', {}],
  ])("a timestamp %j with the body %s has %j", (timestamp, plaintext, spelling) => {
    const envelope = { fields: { timestamp } } as unknown as Capture["envelope"];
    expect(readSpelling({ kind: "request", envelope } as Capture, plaintext)).toEqual(spelling);
    expect(readSpelling({ kind: "callback", envelope } as Capture, plaintext)).toEqual({});
  });
});

test("the failure as text has both parts, the effort and what to check", async () => {
  const files = { ...filesFor(sealed()), "public-key": pem(stranger.publicKey) };
  const { code, out, err } = await runHere(detectArgs(files));
  expect(out).toMatch(
    /^No profile fits this callback\. Tried [\d,]{7,} combinations, each accepted or excluded, in \d+\.\d\d seconds\.\n/,
  );
  expect(out).toMatch(/^- Body: It decrypts to JSON with cipher CBC/m);
  expect(out).toMatch(/^- Signature: It was not made with the private key/m);
  expect(out).toMatch(/^What to check next:\n- \S/m);
  expect({ code, err }).toEqual({ code: 1, err: "" });
});

/** A body of so few letters that some have neither + nor / in them. */
function untilPlain(): Record<string, unknown> {
  for (let round = 0; round < 2000; round++) {
    const envelope = sealed({ profile: { cipher: "GCM", iv: "prefixed" }, body: {} });
    if (!/[+/]/.test(String(envelope["body"]))) return envelope;
  }
  throw new Error("no such body in 2000 rounds");
}
