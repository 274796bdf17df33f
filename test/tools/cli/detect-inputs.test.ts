import { Buffer } from "node:buffer";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readKeyFile } from "../../../tools/cli/frame/read-file.ts";
import { keyPairs, requestVectors } from "../../vectors/vectors.ts";
import { detectArgs, detected, requestFiles, runHere, writtenFile } from "./run-paycast.ts";
import { aesKey, filesFor, pem, sealed } from "./seal-capture.ts";

const envelope = sealed();
const json = JSON.stringify(envelope);
const requestVector = requestVectors[0]!;
const request = requestFiles(requestVector);

describe("a capture is read", () => {
  test.each([
    ["as the HTTP body alone", json],
    ["as JSON that somebody indented", `\n${JSON.stringify(envelope, null, 4)}\n`],
    ["with the byte order mark of an editor", `\uFEFF${json}`],
    ["below the headers of its HTTP message", `POST /callbacks HTTP/1.1\r\nhost: a\r\n\r\n${json}`],
    ["below headers with bare line feeds", `content-type: application/json\n\n${json}\n`],
    ["in an API Gateway event", JSON.stringify({ body: json, isBase64Encoded: false })],
    [
      "in an API Gateway event in base64",
      JSON.stringify({ body: Buffer.from(json).toString("base64"), isBase64Encoded: true }),
    ],
  ])("%s", async (_how, callback) => {
    expect((await detected({ ...filesFor(envelope), callback })).profile).toEqual({});
  });
});

describe("a file that is no capture is unreadable input:", () => {
  test.each([
    ["empty", "", "The file of --callback is empty."],
    ["binary", randomBytes(4096), "holds no callback envelope: it is not UTF-8 text."],
    ["not JSON", "<html></html>", "holds no callback envelope: it is not JSON."],
    ["cut off", json.slice(0, -1), "holds no callback envelope: it is not JSON."],
    ["empty lines", "\n".repeat(200_000), "holds no callback envelope: it is not JSON."],
    ["an array", "[]", "holds no callback envelope: the envelope must be an object."],
    ["null", "null", "holds no callback envelope: the envelope must be an object."],
    ["nested deeply", `{"a":${"[".repeat(60_000)}${"]".repeat(60_000)}}`, "id is missing"],
    ["without an id", JSON.stringify({ ...envelope, id: undefined }), "id is missing"],
    ["no base64", '{"body":"*","isBase64Encoded":true}', "but its body is not base64."],
    [
      "over 256 KiB",
      JSON.stringify({ ...envelope, x: "x".repeat(262_144) }),
      "larger than 256 KiB",
    ],
    ["over 1 MiB", Buffer.alloc(1_048_577, "{"), "The file of --callback is larger than 1024 KiB"],
    ["a request", request["request"]!, "method and no eventName: is it for --request?"],
  ])("%s", async (_what, callback, message) => {
    const run = await runHere(detectArgs({ ...filesFor(envelope), callback }));
    expect(run.err).toMatch(/^paycast detect-profile: The file of --callback [^\n]+\.\n$/);
    expect(run.err).toContain(message);
    expect(run).toMatchObject({ code: 2, out: "" });
  });

  test.each([
    ["no JSON", "x", "The file of --request holds no request envelope: it is not JSON."],
    ["a callback", json, "eventName and no method: is it for --callback?"],
    ["over 256 KiB", `{"x":"${"x".repeat(262_144)}"}`, "larger than 256 KiB"],
    ["null", "null", "envelope must be an object"],
    ["an array of many", `[${"1,".repeat(99_999)}1]`, "envelope has too many fields"],
    [
      "objects that play strings",
      '{"sign":{"length":0},"body":{"length":9}}',
      "sign must be a string",
    ],
  ])("as a request: %s", async (_what, content, message) => {
    const run = await runHere(detectArgs({ ...request, request: content }));
    expect(run.err).toContain(message);
    expect(run.code).toBe(2);
  });
});

describe("a path that cannot be read is unreadable input, and is not repeated:", () => {
  const folder = `${writtenFile("x")}-folder`;
  mkdirSync(folder);
  test.each([
    [
      "no file",
      "/nowhere/Zm9vYmFy",
      "--aes-key must name a file that can be read (there is no such file).",
    ],
    ["a key in place of a path", "3q2+796tvu/erb7v", "(there is no such file)."],
    ["a folder", folder, "(it is a directory)."],
    ["a path with a null byte", "a\0b", "(the path is not valid)."],
    ["a device without end", "/dev/zero", "The file of --aes-key is larger than 64 KiB"],
  ])("%s", async (_what, path, message) => {
    const files = filesFor(envelope);
    delete files["aes-key"];
    const { code, err } = await runHere(detectArgs(files, "--aes-key", path));
    expect(err).toContain(message);
    expect(err).not.toContain(path);
    expect(code).toBe(2);
  });
});

describe("a key is read", () => {
  const tooShort = keyPairs["test-too-short-1024"]!;
  const { spkiPem, pkcs1Pem, spkiBase64, pkcs1Base64 } = keyPairs[requestVector.privateKey]!.public;

  const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
  const elliptic = pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey);
  const of512Bits = pem(generateKeyPairSync("rsa", { modulusLength: 512 }).publicKey);
  const isNoKey = "The file of --public-key must be an RSA key in PEM or in base64 DER.";
  const isRaw = 'raw bytes. A secret keeps keys as text: convert it with "openssl base64 -A".';
  const isPrivate = "must be a public key, but is a private one.";

  test.each<[string, option: string, content: string | Buffer, message: string]>([
    ["the end", "aes-key", `${aesKey.slice(1)}\n`, "holds no AES key: 16, 24 or 32 bytes"],
    ["raw", "aes-key", Buffer.alloc(32, 0xff), isRaw],
    ["no key", "public-key", "hello", isNoKey],
    ["private", "public-key", tooShort.private.pkcs8Pem, isPrivate],
    ["a certificate", "public-key", certificate, "It is a certificate"],
    ["of another kind", "public-key", elliptic, "must be an RSA key."],
    ["of 512 bits", "public-key", of512Bits, "has 512 bits, fewer than the 1024"],
    ["an IV of 5 bytes", "iv", "12345", "The file of --iv holds no IV"],
  ])("or refused, without repeating its content: %s", async (_what, option, content, message) => {
    const files = { ...filesFor(envelope), [option]: content };
    const { code, err, out } = await runHere(detectArgs(files));
    expect(err).toContain(message);
    const lines = content.toString().split("\n");
    for (const line of lines.filter(({ length }) => length > 4)) expect(err).not.toContain(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test("or refused: a public key as --private-key", async () => {
    const { code, err } = await runHere(detectArgs({ ...request, "private-key": spkiPem }));
    expect(err).toContain("It is a public key: give it as --public-key.");
    expect(code).toBe(2);
  });

  test.each([[spkiPem], [pkcs1Pem], [spkiBase64], [`${pkcs1Base64}\n`]])(
    "in every form that merchants get: %#",
    async (publicKey) => {
      const { "private-key": _private, ...files } = request;
      const { undecided } = await detected({ ...files, "public-key": publicKey });
      expect(undecided["unsignedFields"]).toContain("eventName");
    },
  );

  test("with the line break of Windows at its end", async () => {
    const files = filesFor(
      sealed({ profile: { keyEncoding: "utf-8" }, aesKey: "0123456789abcdef" }),
    );
    const { profile } = await detected({ ...files, "aes-key": "0123456789abcdef\r\n" });
    expect(profile).toEqual({ keyEncoding: "utf-8" });
  });
});

test.each([
  ["missing", "there is no such file"],
  [".", "it is a directory"],
  ["package.json/file", "ENOTDIR"],
  ["a\u0000b", "the path is not valid"],
])("a key's file %j cannot be read: %s", async (path, reason) => {
  await expect(readKeyFile(path, "--aes-key")).rejects.toThrow(reason);
});
