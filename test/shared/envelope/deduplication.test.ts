import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { idForLog, keyOfId } from "../../../shared/envelope/deduplication.ts";
import { openWith, refusalOf, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const guid = "6F1C2F0E-3b5e-4c59-9d3c-0c6a7b1f2d11";
/** Made with `printf 12345 | sha256sum`. */
const hashOf12345 = "sha256:5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5";

describe("the key of an id", () => {
  test("is the same for every spelling of a GUID", () => {
    const plain = "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11";
    for (const id of [guid, guid.toLowerCase(), plain]) expect(keyOfId(id)).toBe(plain);
  });

  test.each([
    ["12345", hashOf12345],
    ["ABC", `sha256:${hash("sha256", "ABC")}`],
    [`{${guid}}`, `sha256:${hash("sha256", `{${guid}}`)}`],
  ])("is a hash of any other text as it is: %s", (id, key) => {
    expect(keyOfId(id)).toBe(key);
    expect(keyOfId(id.toLowerCase()) === key).toBe(id === id.toLowerCase());
  });

  test("is found by what the log holds of the id", () => {
    for (const id of [guid, "12345"]) expect(keyOfId(idForLog(id)!)).toBe(keyOfId(id));
  });
});

test("the log holds a GUID as it came, and of other text only a hash", () => {
  expect([guid, "12345", undefined].map(idForLog)).toEqual([guid, hashOf12345, undefined]);
});

describe.each(["sorted-pairs", "canonical-json", "pairs-as-sent", "json-as-sent"] as const)(
  "a signed callback with %s",
  (signedForm) => {
    const merchant = makeMerchant({ profile: { signedForm } });

    test.each([
      ["text", "order 7 / 2", "order 7 / 2"],
      ["a number", 12345, "12345"],
    ])("whose id is %s is known by it", (_case, id, kept) => {
      const opened = openWith(merchant, sealedCallback(merchant, { id }));
      expect(opened.id).toBe(kept);
      expect(opened.deduplication).toEqual({ key: keyOfId(kept), replayable: false });
    });

    test.each([
      ["too long", "x".repeat(257)],
      ["no id", true],
    ])("whose id is %s is known by its content", (_case, id) => {
      const [first, two] = [1, 2].map(() => openWith(merchant, sealedCallback(merchant, { id })));
      expect(first?.id).toBeUndefined();
      expect(first?.deduplication).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(two?.deduplication).toEqual(first?.deduplication);
    });

    test("may have & and = in its id only where they change no meaning", () => {
      const sealed = sealedCallback(merchant, { id: "a&b=c" });
      if (signedForm.includes("json")) expect(openWith(merchant, sealed).id).toBe("a&b=c");
      else expect(refusalOf(() => openWith(merchant, sealed)).reason).toBe("wrong-signature");
    });
  },
);
