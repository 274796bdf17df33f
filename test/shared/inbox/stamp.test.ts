import { createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readInboxBody, writeRedrive, writeStamped } from "../../../shared/inbox/inbox-body.ts";
import { isStampOf, stampOf } from "../../../shared/inbox/stamp.ts";

const key = createSecretKey(
  Buffer.from("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
);
const other = createSecretKey(Buffer.from("f".repeat(64)));
const group = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const message = String.raw`{"version":1,"origin":"callback","body":"{\"status\":\"success\",\"msg\":\"\\u00e9\"}"}`;

/** Made with: printf '%s' "LENGTH:GROUP:MESSAGE" | openssl dgst -sha256 -hmac KEY -binary | basenc --base64url */
const vectors = [
  [group, message, "LxfaNQybAMIJ1XoJNX4CXavRd_cwOeBCL0Ei1kQo74k"],
  ["g", "{}", "yyDnx6F54HLcUQKZt3eYGzfUAFwiPoi26vlHcIkWB3g"],
  ["Zürich", "{}", "zVD7zHDM-VUlpH0hP8W6RmmbdSkMuPlk29hMamOgjGM"],
  ["", "", "EqlyApvJ25rc0LwYD-3jWmFSLSaiq42Dd-Jii03gcGs"],
] as const;

describe("a stamp", () => {
  test.each(vectors)("of group %j and message %j is the one that openssl makes", (...vector) => {
    const [ofGroup, text, stamp] = vector;
    expect(stampOf(key, ofGroup, text)).toBe(stamp);
    expect(isStampOf(stamp, key, ofGroup, text)).toBe(true);
  });

  const stamp = stampOf(key, group, message);
  test.each([
    ["another key", stamp, other, group, message],
    ["another group", stamp, key, `${group.slice(0, -1)}9`, message],
    ["another message", stamp, key, group, `${message} `],
    [
      "a character that moved from the message to the group",
      stamp,
      key,
      `${group}{`,
      message.slice(1),
    ],
    ["a part of it", stamp.slice(0, -2), key, group, message],
    ["more than it", `${stamp}AA`, key, group, message],
    ["nothing", "", key, group, message],
    ["text that is not base64", "§§§", key, group, message],
  ])("does not fit %s", (_name, wrong, ofKey, ofGroup, text) => {
    expect(isStampOf(wrong, ofKey, ofGroup, text)).toBe(false);
  });
});

describe("the body of an inbox message", () => {
  test("has exactly the fields of the wire format, in ASCII", () => {
    const body = writeStamped({ versionId: "v1", keys: key }, group, message);
    expect(JSON.parse(body)).toEqual({
      version: 1,
      stampKey: "v1",
      stamp: stampOf(key, group, message),
      message,
    });
    expect(body).toMatch(/^[\x20-\x7e]+$/);
    expect(readInboxBody(body)).toMatchObject({ kind: "stamped", stamped: { message } });
  });

  test("that names a record has nothing but the record's key", () => {
    const named = { callbackKey: "shop#callback#订单", receipt: "first" };
    const body = writeRedrive(named);
    expect(body).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(body)).toEqual({ version: 1, redrive: named });
    expect(readInboxBody(body)).toEqual({ kind: "redrive", named });
  });

  test("may name a record by the longest key that DynamoDB takes", () => {
    const longest = { callbackKey: "é".repeat(1_024), receipt: "k".repeat(1_024) };
    expect(readInboxBody(writeRedrive(longest))).toEqual({ kind: "redrive", named: longest });
  });

  const named = { callbackKey: "k", receipt: "first" };
  test.each([
    ["a message without a stamp", message],
    ["text", "hello"],
    ["nothing", ""],
    ["a stamp without a version of the key", { version: 1, stamp: "s", message }],
    ["a stamp of another wire version", { version: 0, stampKey: "v", stamp: "s", message }],
    ["a message that is no text", { version: 1, stampKey: "v", stamp: "s", message: {} }],
    ["a redrive that also states something", { version: 1, redrive: named, message }],
    ["a redrive with a further field", { version: 1, redrive: { ...named, status: "success" } }],
    ["a redrive without a receipt", { version: 1, redrive: { callbackKey: "k" } }],
    ["a redrive of another wire version", { version: 2, redrive: named }],
    ["a redrive of an empty key", { version: 1, redrive: { ...named, callbackKey: "" } }],
    ["a redrive of an empty receipt", { version: 1, redrive: { ...named, receipt: "" } }],
    [
      "a key longer than any",
      { version: 1, redrive: { ...named, callbackKey: "é".repeat(1_025) } },
    ],
    [
      "a receipt longer than any",
      { version: 1, redrive: { ...named, receipt: "k".repeat(1_025) } },
    ],
  ])("counts as unstamped: %s", (_name, body) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(readInboxBody(text)).toEqual({ kind: "unstamped" });
  });
});
