import { describe, expect, test } from "vitest";
import { readEnvelope } from "../../../shared/envelope/envelope.ts";
import { bytesOf, refusalOf } from "../../builders/callback.ts";

const plain = {
  id: "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11",
  merchantId: "208800000000000001",
  eventName: "payment.order.success",
  format: "json",
  charset: "utf-8",
  encryptType: "AES",
  signType: "RSA",
  sign: "c2lnbg==",
  timestamp: 1_763_169_765_123,
  body: "Ym9keQ==",
};

const read = (changes: Record<string, unknown> = {}) =>
  readEnvelope(bytesOf({ ...plain, ...changes }));
const refused = (changes: Record<string, unknown>) => refusalOf(() => read(changes));
const refusedBytes = (bytes: Buffer) => refusalOf(() => readEnvelope(bytes));

describe("an envelope of §2.10", () => {
  test("is read, and keeps its fields as sent", () => {
    expect(read()).toMatchObject({
      id: plain.id,
      merchantId: plain.merchantId,
      eventName: plain.eventName,
      timestampMilliseconds: plain.timestamp,
      sign: plain.sign,
      body: plain.body,
      fields: plain,
    });
  });

  test.each(["format", "charset", "encryptType", "signType"])("%s may be left out", (field) => {
    for (const absent of [undefined, null, ""]) expect(read({ [field]: absent })).toBeDefined();
  });

  test.each([
    ["format", ["xml", "JSON", 1]],
    ["charset", ["gbk", "UTF8", "utf-16"]],
    ["encryptType", ["none", "DES", "aes", true]],
    ["signType", ["none", "RSA2", "HMAC", "rsa", {}]],
  ])("%s is refused with a value that is not allowed", (field, wrongs) => {
    for (const wrong of wrongs) {
      const { refusalClass, reason, detail } = refused({ [field]: wrong });
      expect({ refusalClass, reason }).toEqual({
        refusalClass: "not-an-envelope",
        reason: "not-an-envelope",
      });
      expect(detail).toMatch(new RegExp(`^${field} `));
    }
  });

  test.each(["id", "merchantId", "eventName", "sign", "timestamp", "body"])(
    "%s is required",
    (field) => {
      for (const wrong of [undefined, null, "", [], {}, true]) {
        expect(refused({ [field]: wrong }).detail).toMatch(new RegExp(`^${field} `));
      }
    },
  );
});

describe("spellings that senders differ in", () => {
  test("charset is UTF-8 or utf-8", () => {
    expect(read({ charset: "UTF-8" })).toBeDefined();
  });

  test("a GUID with or without dashes, in either case, is read and kept as it came", () => {
    const spellings = [plain.id, plain.id.toUpperCase(), plain.id.replaceAll("-", "")];
    for (const id of spellings) expect(read({ id }).id).toBe(id);
  });

  test("a byte order mark in front is no part of the envelope", () => {
    expect(readEnvelope(Buffer.from(`\ufeff${JSON.stringify(plain)}`)).fields).toEqual(plain);
  });

  test.each([
    "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d1",
    "6f1c2f0e3b5e-4c59-9d3c-0c6a7b1f2d11",
    "{6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11}",
    "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11\n",
    "zf1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11",
    "12345",
  ])("what is no GUID is refused: %j", (id) => {
    expect(refused({ id }).detail).toBe("id must be a GUID");
  });

  test("a timestamp is 13 digits, number or string", () => {
    for (const timestamp of [1_763_169_765_123, "1763169765123"]) {
      expect(read({ timestamp }).timestampMilliseconds).toBe(1_763_169_765_123);
    }
    for (const timestamp of [
      1_763_169_765,
      " 1763169765123",
      "1763169765123\n",
      ["1763169765123"],
    ]) {
      expect(refused({ timestamp }).detail).toMatch(/^timestamp must be /);
    }
  });
});

describe("what would change meaning inside the signed text", () => {
  test.each(["merchantId", "eventName"])(
    "& and =, and more than 1024 characters, are refused in %s",
    (field) => {
      expect(read({ [field]: "x".repeat(1024) })).toBeDefined();
      for (const value of ["a&b", "a=b", "x".repeat(1025)]) {
        const { detail } = refused({ [field]: value });
        expect(detail).toMatch(new RegExp(`^${field} must be text without & or =`));
      }
    },
  );

  test("& and = are refused in a field's name", () => {
    for (const name of ["a&b", "a=b", "\ud800"])
      expect(refused({ [name]: "x" }).detail).toContain("name");
  });

  test("body and sign may hold them", () => {
    expect(read({ body: "a=&", sign: "b=&" })).toMatchObject({ body: "a=&", sign: "b=&" });
  });

  test.each(["merchantId", "eventName", "extra", "body", "sign"])(
    "half a surrogate pair is refused in %s, since it has no bytes",
    (field) => {
      const text = JSON.stringify({ ...plain, [field]: "LONE" }).replace("LONE", "a\\ud800");
      expect(refusedBytes(Buffer.from(text)).reason).toBe("not-an-envelope");
    },
  );

  test("a field named __proto__ is a field like any other, and no prototype", () => {
    const withProto = (value: string) =>
      Buffer.from(JSON.stringify(plain).replace("{", `{"__proto__":${value},`));
    const { fields } = readEnvelope(withProto('"x"'));
    expect(Object.keys(fields).sort()).toEqual(["__proto__", ...Object.keys(plain)].sort());
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    const nested = readEnvelope(withProto('{"polluted":"yes"}')).fields;
    expect(Object.getPrototypeOf(nested)).toBe(Object.prototype);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("names that every object has are not taken for fields that were sent", () => {
    const { id, ...rest } = plain;
    const inherited = { ...rest, constructor: "x", toString: "y", hasOwnProperty: "z" };
    expect(refusedBytes(bytesOf(inherited)).detail).toBe("id is missing");
    expect(read({ constructor: "x", toString: "y" }).id).toBe(id);
  });
});

describe("a refusal's detail", () => {
  test("more fields than any sender has are refused before each is looked at", () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => [`extra${n}`, "x"]);
    expect(read(Object.fromEntries(names(54)))).toBeDefined();
    expect(refused(Object.fromEntries(names(55))).detail).toBe("the envelope has too many fields");
  });

  test("the detail names fields and never repeats what was sent", () => {
    const secret = "4111 1111 1111 1111";
    const { detail, message } = refused({ eventName: `${secret}&`, [`${secret}=`]: [secret] });
    expect(`${detail} ${message}`).not.toContain("4111");
    expect(refused({ ["x=".repeat(50_000)]: [] }).detail?.length).toBeLessThan(200);
  });
});

test.each(Object.keys(plain))("%s holding what no check can compare is refused", (field) => {
  const incomparable = { length: { toString: "", valueOf: "" } };
  expect(refused({ [field]: incomparable }).detail).toMatch(new RegExp(`^${field} `));
});
