import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { RequestHash } from "../../shared/request-hash.ts";

const secret = "AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const bytes = Buffer.from(secret);
const text = "20261119";

const openssl = (...options: readonly string[]) =>
  execFileSync("openssl", ["dgst", "-sha256", "-binary", ...options], { input: text });

async function digestOf(key?: ConstructorParameters<typeof RequestHash>[0]): Promise<Buffer> {
  const hash = new RequestHash(key);
  hash.update("2026");
  hash.update(Buffer.from("1119"));
  return Buffer.from(await hash.digest());
}

test("without a secret it is the hash that openssl computes", async () => {
  expect(await digestOf()).toEqual(openssl());
});

test.each([
  ["text", secret],
  ["bytes", bytes],
  ["a part of a buffer", Buffer.concat([Buffer.from("before"), bytes]).subarray(6)],
  ["an ArrayBuffer", new Uint8Array(bytes).buffer],
])("with a secret that is %s it is openssl's HMAC, each time", async (_case, key) => {
  const expected = openssl("-mac", "hmac", "-macopt", `key:${secret}`);
  expect([await digestOf(key), await digestOf(key)]).toEqual([expected, expected]);
});

test("begins anew after a reset", async () => {
  const hash = new RequestHash(secret);
  hash.update("something else");
  hash.reset();
  hash.update(text);
  expect(Buffer.from(await hash.digest())).toEqual(await digestOf(secret));
});
