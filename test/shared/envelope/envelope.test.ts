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

  test.each(["format", "charset", "encryptType", "signType"])(
    "%s may hold anything, since the profile decides",
    (field) => {
      for (const value of [undefined, null, "", "none", "RSA2", "utf8", 1, true, {}]) {
        expect(read({ [field]: value })).toBeDefined();
      }
    },
  );

  test.each(["id", "merchantId", "eventName", "sign", "timestamp", "body"])(
    "%s is required",
    (field) => {
      for (const wrong of [undefined, null, ""]) {
        expect(refused({ [field]: wrong }).detail).toMatch(new RegExp(`^${field} `));
      }
    },
  );

  test.each(["merchantId", "sign", "timestamp", "body"])(
    "%s has no other type than the one that verifying needs",
    (field) => {
      for (const wrong of [[], {}, true]) {
        expect(refused({ [field]: wrong }).detail).toMatch(new RegExp(`^${field} `));
      }
    },
  );

  test("a merchant id that is a number counts by its text, which JSON.parse would round", () => {
    const text = JSON.stringify(plain).replace(`"${plain.merchantId}"`, plain.merchantId);
    expect(readEnvelope(Buffer.from(text)).merchantId).toBe(plain.merchantId);
  });

  test("an event name of any type and length is kept as it was written", () => {
    const long = "x".repeat(5_000);
    expect(read({ eventName: long }).eventName).toBe(long);
    expect(read({ eventName: { a: [1] } }).eventName).toBe('{"a":[1]}');
  });
});

describe("an id", () => {
  test.each([
    "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d1",
    "{6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11}",
    "12345",
    "a&b=c",
    "\u0000 \n ../#",
    "x".repeat(256),
    "\u{1f4b6}".repeat(256),
  ])("may be any text of up to 256 characters, and is kept as it came: %j", (id) => {
    expect(read({ id }).id).toBe(id);
  });

  test("that is a number counts by its text", () => {
    const withId = (id: string) =>
      readEnvelope(
        Buffer.from(JSON.stringify({ ...plain, id: 0 }).replace('"id":0', `"id":${id}`)),
      );
    for (const id of ["12345", "9007199254740993", "-1", "1e3"]) expect(withId(id).id).toBe(id);
  });

  test.each([["x".repeat(257)], [true], [{ a: 1 }], [["a"]]])(
    "that is longer, or of another type, is none, and the envelope is read: %j",
    (id) => {
      const envelope = read({ id });
      expect(envelope.id).toBeUndefined();
      expect(envelope.body).toBe(plain.body);
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
    const names = (count: number) =>
      Array.from({ length: count }, (_item, n) => [`extra${n}`, "x"]);
    expect(read(Object.fromEntries(names(54)))).toBeDefined();
    expect(refused(Object.fromEntries(names(55))).detail).toBe("the envelope has too many fields");
  });

  test("the detail names fields and never repeats what was sent", () => {
    const secret = "4111 1111 1111 1111";
    const { detail, message } = refused({ timestamp: secret, [`${secret}\ud800`]: [secret] });
    expect(`${detail} ${message}`).not.toContain("4111");
    const named = refused({ [`${"x".repeat(50_000)}\ud800`]: [] });
    expect(named.detail?.length).toBeLessThan(200);
  });
});

test.each(["merchantId", "sign", "timestamp", "body"])(
  "%s holding what no check can compare is refused",
  (field) => {
    const incomparable = { length: { toString: "", valueOf: "" } };
    expect(refused({ [field]: incomparable }).detail).toMatch(new RegExp(`^${field} `));
  },
);
