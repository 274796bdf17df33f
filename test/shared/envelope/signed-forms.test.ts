import { Buffer } from "node:buffer";
import { createCipheriv, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEnvelope } from "../../../shared/envelope/envelope.ts";
import { type Profile, type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import { isSignable, signedBytes, type WireFields } from "../../../shared/envelope/signed-bytes.ts";
import {
  openWith,
  orderResult,
  refusalOf,
  sealedCallback,
  sentAt,
  textOf,
} from "../../builders/callback.ts";
import { makeMerchant, type TestMerchant } from "../../builders/merchant.ts";
import { draws } from "../../setup/draws.ts";

const id = "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11";
const plaintext = JSON.stringify(orderResult({ msg: "a/b é" }));
const pairs = makeMerchant({ profile: { signedForm: "pairs-as-sent" } });
const json = makeMerchant({ profile: { signedForm: "json-as-sent" } });
const inside = makeMerchant({ profile: { signedForm: "json-as-sent", bodyInJson: "json" } });
const canonicalInside = makeMerchant({
  profile: { signedForm: "canonical-json", bodyInJson: "json" },
});

/**
 * A request as a sender writes it: `write` puts a body and further members into a text, first the plain body, which is
 * signed, then the encrypted one, which is sent.
 */
function request(
  merchant: TestMerchant,
  signedText: string,
  write: (body: string, members: string) => string,
  text = plaintext,
): Buffer {
  const signature = sign("sha256", Buffer.from(signedText), merchant.service.privateKey);
  const cipher = createCipheriv("aes-256-cbc", merchant.service.aesKey, Buffer.alloc(16));
  const body = cipher.update(text, "utf8", "base64") + cipher.final("base64");
  return Buffer.from(write(JSON.stringify(body), `"sign":"${signature.toString("base64")}",`));
}

const head = `"timestamp":${sentAt},"merchantId":"${pairs.merchantId}","id":"${id}"`;
const tail = `"eventName":"payment.order.success"`;

describe("JSON as sent", () => {
  test("is the request's own text with the plain body and without sign", () => {
    const write = (body: string, members = "") => `{${head},"body":${body},${members}${tail}}`;
    const signed = write(JSON.stringify(plaintext));
    expect(textOf(openWith(json, request(json, signed, write))).text).toBe(plaintext);
    const asJson = request(inside, write(plaintext), write);
    expect(textOf(openWith(inside, asJson)).text).toBe(plaintext);
  });

  test("keeps names that look like numbers, further fields, nulls and empty texts where they are", () => {
    const further = `"10":{"b":[1.50, 1e2]},"2":12345678901234567890,"x\\/\\u00e9":"\\u0026","note":null,"1":"","0":true`;
    const write = (body: string, members = "") =>
      `{${further},${head},"body":${body},${members}${tail}}`;
    const sent = request(json, write(JSON.stringify(plaintext)), write);
    expect(openWith(json, sent).id).toBe(id);
    const moved = sent.toString().replace('"1":"","0":true', '"0":true,"1":""');
    expect(refusalOf(() => openWith(json, Buffer.from(moved))).reason).toBe("wrong-signature");
  });

  test.each([
    ["between its members", (text: string) => text.replaceAll(',"', ', "')],
    ["after each colon", (text: string) => text.replaceAll('":', '": ')],
    ["on each line", (text: string) => text.replaceAll(',"', ',\n  "').replace("{", "{\n  ")],
    ["at its end", (text: string) => text.replace(/\}$/, " \n}")],
  ])("keeps the white space %s", (_where, space) => {
    const write = (body: string, members = "") =>
      space(`{${head},"body":BODY,${members}${tail}}`).replace("BODY", () => body);
    const sent = request(json, write(JSON.stringify(plaintext)), write);
    expect(textOf(openWith(json, sent)).text).toBe(plaintext);
  });

  test("may be behind a byte order mark and white space, and before a line break", () => {
    const write = (body: string, members = "") => `{${head},${members}"body":${body},${tail}}`;
    const sent = request(json, write(JSON.stringify(plaintext)), write);
    expect(openWith(json, Buffer.from(`\ufeff${sent}\r\n`)).id).toBe(id);
    expect(openWith(json, Buffer.from(`\r\n ${sent}`)).id).toBe(id);
  });

  test("keeps the spelling of a signed ciphertext", () => {
    const fields: WireFields = { body: "ab/cd", id, sign: "s" };
    const text = String.raw`{"body":"ab\/cd","id":"${id}","sign":"s"}`;
    const profile = readProfile({ signedForm: "json-as-sent", signs: "ciphertext" });
    const signed = signedBytes({ fields, text }, Buffer.from("ab/cd"), profile);
    expect(signed.toString()).toBe(String.raw`{"body":"ab\/cd","id":"${id}"}`);
  });
});

describe("pairs as sent", () => {
  const further = `"10":1.50,"2":{"a" : 1},"empty":"","nothing":null`;
  const write = (body: string, members = "") =>
    `{${further},${tail},${members}"body":${body},${head}}`;
  const signed = `10=1.50&2={"a" : 1}&eventName=payment.order.success&body=${plaintext}&timestamp=${sentAt}&merchantId=${pairs.merchantId}&id=${id}`;

  test("have the order of the request's text, without null and empty fields", () => {
    expect(textOf(openWith(pairs, request(pairs, signed, write))).text).toBe(plaintext);
  });

  test("are refused in another order", () => {
    const text = request(pairs, signed, write).toString();
    const swapped = text.replace(`"10":1.50,"2":{"a" : 1}`, `"2":{"a" : 1},"10":1.50`);
    expect(refusalOf(() => openWith(pairs, Buffer.from(swapped))).reason).toBe("wrong-signature");
  });
});

describe.each([
  ["pairs as sent", pairs],
  ["JSON as sent", json],
])("in %s a name that comes twice", (_form, merchant) => {
  test.each(['"id":"1"', '"nonce":1,"nonce":1', '"n\\u006fnce":1,"nonce":1', '"sign":"x"'])(
    "is refused, whatever the signature covers: %s",
    (members) => {
      const sealed = JSON.stringify(sealedCallback(merchant, { id }));
      const text = sealed.replace("{", `{${members},`);
      const fields: WireFields = JSON.parse(text);
      const body = Buffer.from("{}");
      const wire = { fields, text };
      expect(isSignable(wire, body, merchant.profile)).toBe(false);
      expect(isSignable({ fields, text: sealed }, body, merchant.profile)).toBe(true);
      const signedText = signedBytes(wire, body, merchant.profile).toString();
      const forged = request(
        merchant,
        signedText,
        (sent, signMember) => {
          const signature = signMember.slice('"sign":'.length, -1);
          return text
            .replace(/"sign":"[^"]{9,}"/, `"sign":${signature}`)
            .replace(/"body":"[^"]*"/, `"body":${sent}`);
        },
        "{}",
      );
      expect(refusalOf(() => openWith(merchant, forged)).reason).toBe("wrong-signature");
    },
  );
});

describe("a body as JSON inside signed JSON", () => {
  const write = (body: string, members = "") => `{${head},"body":${body},${members}${tail}}`;

  test.each([
    ["a further field", `{},"status":"success"`],
    ["a field of the interface", `{},"eventName":"payment.order.success"`],
    ["the end of the object", `{}}`],
    ["a comment", `{}/**/`],
    ["nothing", ""],
    ["white space, which the envelope could have as well", " {}"],
    ["white space at its end", "{}\n"],
  ])("is refused if it holds %s, although the signed text fits", (_what, body) => {
    const sent = request(inside, write(body), write, body);
    expect(refusalOf(() => openWith(inside, sent)).reason).toBe("wrong-signature");
  });

  test("has its own text: a number keeps its digits, and a name may come twice", () => {
    const body = '{ "amount":12.3400000000000000000001, "a":1, "a":2, "2":0, "1":0 }';
    const opened = openWith(inside, request(inside, write(body), write, body));
    expect(textOf(opened).text).toBe(body);
    const sorted = `{"body":${body},"eventName":"payment.order.success","id":"${id}","merchantId":"${canonicalInside.merchantId}","timestamp":${sentAt}}`;
    const canonical = request(canonicalInside, sorted, write, body);
    expect(textOf(openWith(canonicalInside, canonical)).text).toBe(body);
  });
});

/** Forms whose text is JSON, so that it can be read again. */
const jsonProfiles: ProfileInput[] = (["canonical-json", "json-as-sent"] as const).flatMap(
  (signedForm) =>
    (["text", "json"] as const).flatMap((bodyInJson) =>
      (["plain", "php", "python", "gson"] as const).map((jsonStyle) => ({
        signedForm,
        bodyInJson,
        jsonStyle,
      })),
    ),
);

const anyName = fc.oneof(fc.string(), fc.constantFrom("1", "0", "__proto__", "id", "charset"));
const anyFields = fc.dictionary(
  anyName.filter((name) => name !== "sign" && name !== "body"),
  fc.oneof(fc.string(), fc.constantFrom("", '","body":1', "é/<")),
);

test("signed JSON can be read back to the fields and the body, so no two envelopes share a text", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...jsonProfiles).map(readProfile),
      anyFields,
      fc.oneof(fc.json(), fc.constantFrom('1,"amount":2', "{}}", " 1", "")),
      (profile, fields, body) => {
        const sent: WireFields = { sign: "s", ...fields, body: "cipher" };
        const wire = { fields: sent, text: JSON.stringify(sent) };
        fc.pre(isSignable(wire, Buffer.from(body), profile));
        const text = signedBytes(wire, Buffer.from(body), profile).toString();
        const present = Object.entries(fields).filter(([, value]) => isKept(value, profile));
        const inner: unknown = profile.bodyInJson === "json" ? JSON.parse(body) : body;
        expect(JSON.parse(text)).toEqual(Object.fromEntries([...present, ["body", inner]]));
        if (profile.bodyInJson === "json") expect(text).toContain(body);
      },
    ),
    { numRuns: draws(2_000) },
  );
});

function isKept(value: string, { signedForm }: Profile): boolean {
  return signedForm === "json-as-sent" || value !== "";
}

/**
 * Who has the AES key, and can make the service sign a text in a further field, could write a body into that field. The
 * same signed text then fits an envelope whose body is the imitation.
 */
describe.each(["pairs-as-sent", "sorted-pairs"] as const)("in %s", (signedForm) => {
  const merchant = makeMerchant({ profile: { signedForm } });
  const forgedBody = JSON.stringify(orderResult({ referOrderNo: "FORGED" }));

  function sealed(fields: Record<string, unknown>, body: string, signature?: string): Buffer {
    const cipher = createCipheriv("aes-256-cbc", merchant.service.aesKey, Buffer.alloc(16));
    const sent = cipher.update(body, "utf8", "base64") + cipher.final("base64");
    return Buffer.from(JSON.stringify({ ...fields, body: sent, ...rest, sign: signature }));
  }

  /** A field named A sorts before the body. */
  const rest = { eventName: "payment.order.success", id, merchantId: merchant.merchantId };
  const signedText = (a: string) =>
    `A=${a}&body=${plaintext}&eventName=${rest.eventName}&id=${id}&merchantId=${rest.merchantId}&timestamp=${sentAt}`;
  const signatureOf = (a: string) =>
    sign("sha256", Buffer.from(signedText(a)), merchant.service.privateKey).toString("base64");
  const envelopeOf = (a: unknown, further: object, body: string, signature: string) => {
    const text = sealed({ A: a }, body, signature).toString();
    return Buffer.from(
      text.replace(/\}$/, `,${JSON.stringify({ timestamp: sentAt, ...further }).slice(1)}`),
    );
  };

  test("a further field may hold & and =", () => {
    const genuine = envelopeOf("x&id=1&y==", {}, plaintext, signatureOf("x&id=1&y=="));
    expect(textOf(openWith(merchant, genuine)).text).toBe(plaintext);
  });

  test("a body that a further field imitates is refused", () => {
    const imitation = `x&body=${forgedBody}&eventName=${rest.eventName}&id=${id}&merchantId=${rest.merchantId}&timestamp=${sentAt}&z=`;
    const signature = signatureOf(imitation);
    const z = signedText("").slice("A=".length);
    const forged = envelopeOf("x", { z }, forgedBody, signature);
    const signed = Buffer.from(signedText(imitation)).toString();
    const fields: WireFields = JSON.parse(forged.toString());
    const wire = { fields, text: forged.toString() };
    expect(signedBytes(wire, Buffer.from(forgedBody), merchant.profile).toString()).toBe(signed);
    expect(refusalOf(() => openWith(merchant, forged)).reason).toBe("wrong-signature");
  });
});

test("in pairs-as-sent a request's own field cannot hide the body either", () => {
  const forgedBody = JSON.stringify(orderResult({ referOrderNo: "FORGED" }));
  const rest = `eventName=payment.order.success&id=${id}&merchantId=${pairs.merchantId}&timestamp=${sentAt}`;
  const method = `M&body=${plaintext}&${rest}&note=1`;
  const write = (body: string, members = "") =>
    `{"method":${JSON.stringify(method)},"body":${body},${members}${tail},"id":"${id}",` +
    `"merchantId":"${pairs.merchantId}","timestamp":${sentAt}}`;
  // The service signed another envelope: the body is plaintext, and the field `note` holds the imitation.
  const forged = request(pairs, `method=${method}&body=${forgedBody}&${rest}`, write, forgedBody);
  expect(refusalOf(() => openWith(pairs, forged)).reason).toBe("wrong-signature");
});

describe("a request of the largest size cannot blow up the signed text", () => {
  const most = 262_144;
  const usual = `${head},"body":"AAAA","sign":"AAAA",${tail}`;
  const fill = (text: string) => text.replace("…", "x".repeat(most - text.length));
  const repeats = '"x":"",'.repeat(2_000);

  test.each([
    [
      "a long value whose name comes thousands of times",
      pairs,
      fill(`{${repeats}"x":"…",${usual}}`),
    ],
    [
      "a long separator before thousands of members",
      json,
      `{"x":1${" ".repeat(most - repeats.length - usual.length - 9)},${repeats}${usual}}`,
    ],
    [
      "a long separator before as many members as are allowed",
      json,
      `{"x":1${" ".repeat(most - 2_000)},${Array.from({ length: 50 }, (_item, i) => `"x${i}":1,`).join("")}${usual}}`,
    ],
  ])("%s", (_what, { profile }, text) => {
    const envelope = readEnvelope(Buffer.from(text));
    expect(signedBytes(envelope, Buffer.from("{}"), profile).length).toBeLessThanOrEqual(most);
  });

  test("a long body whose name comes thousands of times", () => {
    const text = `{${'"body":"",'.repeat(2_000)}${usual}}`;
    const body = Buffer.alloc(most / 2, "b");
    const signed = signedBytes(readEnvelope(Buffer.from(text)), body, json.profile);
    expect(signed.length).toBeLessThanOrEqual(text.length + body.length);
  });
});
