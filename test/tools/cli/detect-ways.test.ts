import { createCipheriv, createPrivateKey, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { changesFromDefault, readProfile } from "../../../shared/envelope/profile.ts";
import { sealCallback } from "../../../tools/simulator/wire/callback-envelope.ts";
import { JsonNumber } from "../../../tools/simulator/wire/exact-json.ts";
import { profileSchema, type WireProfileInput } from "../../../tools/simulator/wire/profile.ts";
import { keyPairs, sentVectors } from "../../vectors/vectors.ts";
import { detected } from "./run-paycast.ts";

const pair = keyPairs["test-openssl-2048"]!;
const aesKeys = {
  base64: "3q2+796tvu/erb7v3q2+796tvu/erb7v",
  hex: "0123456789abcdef0123456789abcdef",
  "utf-8": "thirty-two characters are a key.",
};

/** Ways in which a service may sign and encrypt, as its developers would describe them. */
const ways: [way: string, profile: WireProfileInput][] = [
  ["sorted pairs, SHA256withRSA, AES/CBC with a zero IV", {}],
  ["sorted pairs, SHA1withRSA, AES/ECB", { signatureHash: "SHA-1", cipher: "ECB" }],
  ["sorted pairs, SHA512withRSA, key in hex", { signatureHash: "SHA-512", keyEncoding: "hex" }],
  ["sorted pairs without signType", { unsignedFields: ["signType"] }],
  ["sorted pairs of the ciphertext, IV in front", { signs: "ciphertext", iv: "prefixed" }],
  ["pairs as sent, SHA256withRSA", { signedForm: "pairs-as-sent" }],
  [
    "pairs as sent, SHA1withRSA, ECB, all in hex",
    {
      signedForm: "pairs-as-sent",
      signatureHash: "SHA-1",
      cipher: "ECB",
      signatureEncoding: "hex",
      bodyEncoding: "hex",
    },
  ],
  [
    "pairs as sent of the ciphertext, without the optional fields",
    {
      signedForm: "pairs-as-sent",
      signs: "ciphertext",
      unsignedFields: ["format", "charset", "encryptType", "signType"],
    },
  ],
  ["pairs as sent, PSS, GCM", { signedForm: "pairs-as-sent", signaturePadding: "PSS", ...gcm() }],
  ["sorted JSON, the body a string", { signedForm: "canonical-json" }],
  ["sorted JSON, the body an object", { signedForm: "canonical-json", bodyInJson: "json" }],
  [
    "sorted JSON by Python, the key a text, its beginning the IV",
    {
      signedForm: "canonical-json",
      jsonStyle: "python",
      keyEncoding: "utf-8",
      iv: "fixed",
      fixedIv: Buffer.from("thirty-two chara").toString("hex"),
    },
  ],
  [
    "sorted JSON by PHP, SHA1withRSA",
    { signedForm: "canonical-json", jsonStyle: "php", signatureHash: "SHA-1" },
  ],
  [
    "sorted JSON of the ciphertext, by PHP",
    { signedForm: "canonical-json", jsonStyle: "php", signs: "ciphertext" },
  ],
  ["the request object (§4.2), the body a string", { signedForm: "json-as-sent" }],
  [
    "the request object (§4.2), the body an object",
    { signedForm: "json-as-sent", bodyInJson: "json" },
  ],
  [
    "the request object by Python, SHA512withRSA, base64url",
    {
      signedForm: "json-as-sent",
      jsonStyle: "python",
      signatureHash: "SHA-512",
      signatureEncoding: "base64url",
      bodyEncoding: "base64url",
    },
  ],
  [
    "the request object by PHP, the body an object, ECB, numbers as strings",
    {
      signedForm: "json-as-sent",
      bodyInJson: "json",
      jsonStyle: "php",
      cipher: "ECB",
      numbers: "string",
    },
  ],
  [
    "the request object by Go, PSS with SHA-512",
    {
      signedForm: "json-as-sent",
      jsonStyle: "go",
      signaturePadding: "PSS",
      signatureHash: "SHA-512",
    },
  ],
  [
    "the request object by Gson, IV in front",
    { signedForm: "json-as-sent", jsonStyle: "gson", iv: "prefixed" },
  ],
  [
    "the request object without id and timestamp, GCM",
    { signedForm: "json-as-sent", unsignedFields: ["id", "timestamp"], ...gcm() },
  ],
  ["the sent object with its ciphertext", { signedForm: "json-as-sent", signs: "ciphertext" }],
  ["the plain body alone, SHA1withRSA", { signedForm: "body", signatureHash: "SHA-1" }],
  [
    "the encrypted body alone, key in hex",
    { signedForm: "body", signs: "ciphertext", keyEncoding: "hex" },
  ],
  [
    "the plain body alone, PSS, an IV from sample code",
    {
      signedForm: "body",
      signaturePadding: "PSS",
      iv: "fixed",
      fixedIv: Buffer.from("0102030405060708").toString("hex"),
    },
  ],
];

function gcm() {
  return { cipher: "GCM", iv: "prefixed" } as const;
}

/** A callback by the simulator, which shares no code with Paycast. */
function filesOf(input: WireProfileInput) {
  const profile = profileSchema.parse(input);
  const aesKey = aesKeys[profile.keyEncoding];
  const callback = sealCallback({
    profile,
    id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    merchantId: "m1",
    eventName: "payment.order.success",
    timestampMilliseconds: 1_790_000_000_000,
    result: {
      merchantId: "m1",
      referOrderNo: "杯/7",
      paymentAmount: new JsonNumber("25.10"),
      status: "success",
      msg: "<b>'1&2=3'</b>",
    },
    signingKey: createPrivateKey(pair.private.pkcs8Pem!),
    aesKey: Buffer.from(aesKey, profile.keyEncoding),
  });
  return { callback, "aes-key": aesKey, "public-key": pair.public.spkiPem };
}

describe("detect-profile finds", () => {
  test("more than twenty ways", () => {
    expect(new Set(ways.map(([way]) => way)).size).toBeGreaterThanOrEqual(21);
  });

  test.each(ways)("%s", async (_way, input) => {
    const { profile, undecided } = await detected(filesOf(input));
    // The IV may be a part of the key, which is not printed. Numbers are a matter of requests.
    const { fixedIv, numbers, ...expected } = changesFromDefault(readProfile(input));
    const { fixedIv: found, ...rest } = profile;
    expect(rest).toEqual(expected);
    expect(typeof found).toBe(typeof fixedIv);
    expect(undecided).not.toHaveProperty("signedForm");
  });
});

describe("a callback whose text another serializer wrote", () => {
  test.each(sentVectors)("$name is given the form it was made with", async (vector) => {
    const { profile, undecided } = await detected({
      callback: vector.text,
      "aes-key": vector.aesKey,
      "public-key": pair.public.spkiPem,
    });
    const { jsonStyle: made = "plain", ...form } = vector.profile;
    const { jsonStyle: chosen = "plain", ...found } = profile;
    const others = undecided["jsonStyle"] ?? [];
    expect(found).toEqual(form);
    expect([chosen, ...others]).toContain(made);
    // An indented text is in no style.
    if (!vector.name.includes("indented")) expect(chosen).toBe(made);
  });
});

test("an envelope that was sent with sorted names cannot tell sorted JSON from JSON as sent", async () => {
  const files = filesOf({ signedForm: "canonical-json" });
  const sorted = Object.entries(JSON.parse(files.callback)).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const callback = JSON.stringify(Object.fromEntries(sorted));
  const { profile, undecided } = await detected({ ...files, callback });
  expect(profile).toEqual({ signedForm: "canonical-json" });
  expect(undecided["signedForm"]).toEqual(["json-as-sent"]);
});

test.each([
  ["a number", "1.50"],
  ["an object", '{"a" : [1e2]}'],
])("a request with a further field that holds %s is read by its text", async (_what, source) => {
  const key = Buffer.from(aesKeys.base64, "base64");
  const cipher = createCipheriv("aes-192-cbc", key, Buffer.alloc(16));
  const encrypted = cipher.update("{}", "utf8", "base64") + cipher.final("base64");
  const text = `method=service.trade.query&x=${source}&merchantId=m1&timestamp=1790000000000&body={}`;
  const signature = sign("sha256", Buffer.from(text), pair.private.pkcs8Pem!).toString("base64");
  const request = `{"method":"service.trade.query","x":${source},"merchantId":"m1","timestamp":1790000000000,"body":"${encrypted}","sign":"${signature}"}`;
  const files = { request, "aes-key": aesKeys.base64, "private-key": pair.private.pkcs8Pem! };
  expect((await detected(files)).profile).toMatchObject({ signedForm: "pairs-as-sent" });
});
