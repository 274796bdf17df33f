import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import {
  changesFromDefault,
  type ProfileInput,
  readProfile,
} from "../../../shared/envelope/profile.ts";
import { type Capture, readCapture } from "../../../tools/cli/detect/capture.ts";
import { makeSearchKeys } from "../../../tools/cli/detect/keys.ts";
import { readSpelling } from "../../../tools/cli/detect/read-spelling.ts";
import { detect } from "../../../tools/cli/detect/result-rows.ts";
import { requestVectors } from "../../vectors/vectors.ts";
import { detected, requestFiles } from "./run-paycast.ts";
import { aesKey, filesFor, merchantId, sealed, service } from "./seal-capture.ts";

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
    expect(undecided["unsignedFields"]).toEqual(["method", "format", "charset"]);
  });

  test("is not asked where the body alone is signed", async () => {
    const { undecided } = await detected(filesFor(sealed({ profile: { signedForm: "body" } })));
    expect(undecided).toEqual({ numbers: [], goodsAmountName: [] });
  });

  test("is base64 or base64url, where no letter differs: the default is taken", async () => {
    const envelope = untilPlain({ cipher: "GCM", iv: "prefixed" });
    const { profile, undecided } = await detected(filesFor(envelope));
    expect(profile).toEqual({ cipher: "GCM", iv: "prefixed" });
    expect(undecided["bodyEncoding"]).toEqual(["base64url"]);
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

describe("the row of a profile that fits", () => {
  const stored = readProfile({ bodyEncoding: "base64url", numbers: "string" });
  const found = (envelope: Record<string, unknown>) => {
    const capture = readCapture(Buffer.from(JSON.stringify(envelope)), "callback");
    const keys = makeSearchKeys(aesKey, service.publicKey);
    return detect(capture, { keys, options: "--correct --stack Paycast", stored }).rows;
  };

  test("says so if it is the stored one, although another one fits too", () => {
    expect(found(untilPlain({}))).toMatchObject([
      { result: "the stored profile fits", profile: changesFromDefault(stored) },
      { undecided: { bodyEncoding: ["base64"] } },
    ]);
  });

  test("stores another one, and keeps what is stored about the spelling of requests", () => {
    const profile = { signatureHash: "SHA-1", numbers: "string" };
    expect(found(sealed({ profile: { signatureHash: "SHA-1" } }))[0]).toMatchObject({
      result: "a profile fits",
      profile,
      action: `Store it: echo '${JSON.stringify(profile)}' > profile.json && npx paycast keys set ${merchantId} --profile profile.json --correct --stack Paycast`,
    });
  });

  test("has the merchant of the envelope as one word of a shell", () => {
    const [row] = found(sealed({ fields: { merchantId: "a b;" } }));
    expect(row?.action).toContain("keys set 'a b;' --profile");
  });

  test("names the merchant's private key for a request", async () => {
    const files = requestFiles(requestVectors[0]!);
    expect((await detected(files)).action).toMatch(/ --aes-key \S+ --merchant-private-key \S+$/);
  });
});

/** A body of so few letters that some have neither + nor / in them. */
function untilPlain(profile: ProfileInput): Record<string, unknown> {
  for (let round = 0; round < 2000; round++) {
    const envelope = sealed({ profile, body: { [`${round}`]: 1 } });
    if (!/[+/]/.test(String(envelope["body"]))) return envelope;
  }
  throw new Error("no such body in 2000 rounds");
}
