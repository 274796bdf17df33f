import { sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEnvelope } from "../../../shared/envelope/envelope.ts";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import { memberSources } from "../../../shared/envelope/source-text.ts";
import {
  openWith,
  orderResult,
  refusalOf,
  sealedCallback,
  sentAt,
  textOf,
} from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { draws } from "../../setup/draws.ts";

const plaintext = JSON.stringify(orderResult());
const id = "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11";
const sorted = makeMerchant();
const canonical = makeMerchant({ profile: { signedForm: "canonical-json" } });

/** The request's text with members in front of the others, and a signature over a text that was put together by hand. */
function requestWith(merchant: typeof sorted, members: string, signedText: string): Buffer {
  const sealed = sealedCallback(merchant, { id, result: plaintext });
  const signature = sign("sha256", Buffer.from(signedText), merchant.service.privateKey);
  const envelope = { ...sealed, sign: signature.toString("base64") };
  return Buffer.from(JSON.stringify(envelope).replace("{", `{${members},`));
}

/** The signed text of the callback with one further field, whose name sorts between merchantId and signType. */
function pairsWith(pair: string): string {
  return (
    `body=${plaintext}&charset=utf-8&encryptType=AES&eventName=payment.order.success&format=json&id=${id}` +
    `&merchantId=${sorted.merchantId}&${pair}&signType=RSA&timestamp=${sentAt}`
  );
}

function jsonWith(member: string): string {
  return (
    `{"body":${JSON.stringify(plaintext)},"charset":"utf-8","encryptType":"AES","eventName":"payment.order.success",` +
    `"format":"json","id":"${id}","merchantId":"${canonical.merchantId}",${member},"signType":"RSA","timestamp":${sentAt}}`
  );
}

/** Values as a sender writes them. What is signed is the same text, but of a string its value. */
const written: [what: string, source: string][] = [
  ["base64", '"q83vEg=="'],
  ["text with an ampersand", '"a&b=c"'],
  ["a text longer than any field of the interface", `"${"x".repeat(5_000)}"`],
  ["a number beyond 2^53", "12345678901234567890"],
  ["a number with a zero at its end", "1.50"],
  ["a number that no double holds", "1e999"],
  ["a boolean", "true"],
  ["an object", '{"a":1}'],
  ["an object with spaces in it", '{ "a" : [ 1 , 2.0 ] }'],
  ["an object with quotes and braces in its strings", String.raw`{"a":"}\"]{,","b\\":["\\"]}`],
  ["an array", '["x",{"y":[]}]'],
  ["an empty object", "{}"],
];

describe.each(written)("a further field that holds %s", (_what, source) => {
  const isText = source.startsWith('"');

  test("is signed as it was written, in sorted pairs", () => {
    const value = isText ? JSON.parse(source) : source;
    const request = requestWith(sorted, `"nonce" : ${source} `, pairsWith(`nonce=${value}`));
    expect(textOf(openWith(sorted, request)).text).toBe(plaintext);
  });

  test("is signed as it was written, in canonical JSON", () => {
    const request = requestWith(canonical, `"nonce":${source}`, jsonWith(`"nonce":${source}`));
    expect(textOf(openWith(canonical, request)).text).toBe(plaintext);
  });

  test("is not added to an envelope that was signed without it", () => {
    const text = JSON.stringify(sealedCallback(sorted)).replace("{", `{"nonce":${source},`);
    expect(refusalOf(() => openWith(sorted, Buffer.from(text))).reason).toBe("wrong-signature");
  });
});

describe("a further field", () => {
  test.each(["null", '""'])("that is %s counts as absent", (source) => {
    const text = JSON.stringify(sealedCallback(sorted));
    const request = Buffer.from(text.replace("{", `{"nonce":${source},`));
    expect(openWith(sorted, request).merchantId).toBe(sorted.merchantId);
  });

  test("that comes twice counts as it came last", () => {
    const members = '"nonce":{"a":1},"nonce":[2]';
    const request = requestWith(sorted, members, pairsWith("nonce=[2]"));
    expect(openWith(sorted, request).id).toBe(id);
    const inJson = requestWith(canonical, members, jsonWith('"nonce":[2]'));
    expect(openWith(canonical, inJson).id).toBe(id);
    const first = requestWith(sorted, members, pairsWith('nonce={"a":1}'));
    expect(refusalOf(() => openWith(sorted, first)).reason).toBe("wrong-signature");
  });

  test("may be behind a byte order mark", () => {
    const request = requestWith(sorted, '"nonce":1.0', pairsWith("nonce=1.0"));
    const marked = Buffer.concat([Buffer.from("\ufeff"), request]);
    expect(openWith(sorted, marked).id).toBe(id);
  });

  test("may not have half a surrogate pair as a name", () => {
    const text = JSON.stringify(sealedCallback(sorted)).replace("{", `{"\\ud800":1,`);
    expect(refusalOf(() => readEnvelope(Buffer.from(text))).detail).toMatch(/half a surrogate/);
  });

  test.each(["a&b", "a=b"])(
    "may have the name %s in signed JSON, and not in signed pairs",
    (name) => {
      const json = makeMerchant({ profile: { signedForm: "canonical-json" } });
      const fields = { [name]: "x" };
      expect(openWith(json, sealedCallback(json, { fields })).content.kind).toBe("text");
      const refusal = refusalOf(() => openWith(sorted, sealedCallback(sorted, { fields })));
      expect(refusal.reason).toBe("wrong-signature");
    },
  );
});

test("text that imitates later fields can move the timestamp, if a further field follows, and never the id", () => {
  const later = sentAt + 60_000;
  const imitation = `x&signType=RSA&timestamp=${later}&zone=`;
  const signedText = `${pairsWith(`nonce=${imitation}`)}&zone=eu`;
  const genuine = requestWith(sorted, `"nonce":"${imitation}","zone":"eu"`, signedText);
  const swallowed = `&signType=RSA&timestamp=${sentAt}&zone=eu`;
  const moved = {
    ...JSON.parse(genuine.toString()),
    nonce: "x",
    timestamp: later,
    zone: swallowed,
  };
  const [first, second] = [openWith(sorted, genuine), openWith(sorted, moved)];
  expect(second.sentAtMilliseconds).toBe(later);
  expect(second).toEqual({ ...first, sentAtMilliseconds: later });
  const renamed = { ...moved, id: "00000000000000000000000000000000" };
  expect(refusalOf(() => openWith(sorted, renamed)).reason).toBe("wrong-signature");
});

test("a body alone that is signed leaves every further field out", () => {
  const profile: ProfileInput = { signedForm: "body" };
  const merchant = makeMerchant({ profile });
  const text = JSON.stringify(sealedCallback(merchant)).replace("{", '{"a&b":{"a":[1.0]},');
  expect(openWith(merchant, Buffer.from(text)).merchantId).toBe(merchant.merchantId);
});

describe("the text of each member", () => {
  const spaced = fc.constantFrom("", " ", "\n\t ");

  test("parses to what the whole text parses to, for any JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaced, (value, space) => {
        const text = `${space}${JSON.stringify(value, null, space)}${space}`;
        const sources = [...memberSources(text)].map(([name, source]) => [
          name,
          JSON.parse(source),
        ]);
        expect(Object.fromEntries(sources)).toEqual(JSON.parse(text));
      }),
      { numRuns: draws(500) },
    );
  });

  test("has no space around it, and all of its own", () => {
    const sources = memberSources('{ "a" : { "b" : 1.0 } , "c":\n[ ] \n}');
    expect([...sources]).toEqual([
      ["a", '{ "b" : 1.0 }'],
      ["c", "[ ]"],
    ]);
  });

  test("is found under any nesting that a request has room for", () => {
    const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(memberSources(`{"a":${nested},"b":1}`).get("a")).toBe(nested);
  });
});
