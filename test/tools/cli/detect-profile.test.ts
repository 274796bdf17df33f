import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import { callbackVectors } from "../../vectors/vectors.ts";
import {
  callbackFiles,
  detectArgs,
  detected,
  runCommand,
  runHere,
  runPaycast,
} from "./run-paycast.ts";
import { aesKey, filesFor, result, sealed } from "./seal-capture.ts";

const byOpenssl = callbackVectors.find(({ name }) => name === "default-openssl")!;

test("the command, started as a user starts it, prints the profile with the command that stores it", async () => {
  const args = detectArgs({ ...callbackFiles(byOpenssl) });
  const [aesKeyFile, publicKeyFile] = [args[4], args[6]];
  const { code, out, err } = await runPaycast(...args);
  const { merchantId } = byOpenssl.envelope;
  const set = `npx paycast keys set ${merchantId} --profile profile.json --aes-key ${aesKeyFile} --service-public-key ${publicKeyFile}`;
  expect(out.split("\n")).toEqual([
    "result                    what to do",
    `the default profile fits  Store it: echo '{}' > profile.json && ${set}`,
    "not decided               This callback does not show unsignedFields (also method), numbers, goodsAmountName. Try another callback, or an accepted request with --request.",
    expect.stringMatching(/^Tried [1-9][\d,]{6,} combinations of settings\.$/),
    "",
  ]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

describe("what is printed", () => {
  const secrets = [
    aesKey,
    Buffer.from(aesKey, "base64").toString("hex"),
    Buffer.from(aesKey).toString("hex"),
    result.referOrderNo,
    result.transactionId,
  ];

  test.each([
    ["a fit", {}, {}],
    ["no fit", {}, { "aes-key": "AAAAAAAAAAAAAAAAAAAAAA==" }],
    ["an IV from the key's bytes", ivOf(Buffer.from(aesKey, "base64")), {}],
    ["an IV from the key's text", ivOf(Buffer.from(aesKey)), {}],
  ])("holds no key, no signature and nothing of the body: %s", async (_what, profile, files) => {
    const envelope = sealed({ profile });
    const args = detectArgs({ ...filesFor(envelope), ...files });
    const unprinted = [...secrets, String(envelope["sign"]), String(envelope["body"])];
    for (const { out, err } of [await runHere(args), await runHere([...args, "--json"])]) {
      for (const secret of unprinted) expect(out + err).not.toContain(secret);
      expect(out + err).not.toContain(readProfile(profile).fixedIv ?? "no IV");
    }
  });

  test("for an IV that is part of the key is a command that gives it, and with it the profile is whole", async () => {
    for (const bytes of [Buffer.from(aesKey, "base64"), Buffer.from(aesKey)]) {
      const { profile, action } = await detected(filesFor(sealed({ profile: ivOf(bytes) })));
      expect(() => readProfile(profile)).toThrow("fixedIv must be hexadecimal");
      const [, echo] = /: (echo .*) > profile\.json/.exec(action)!;
      const { out } = await runCommand("sh", ["-c", echo!]);
      expect(readProfile(JSON.parse(out))).toEqual(readProfile(ivOf(bytes)));
    }
  });

  test("shows progress on a terminal, cleared at the end, and none elsewhere", async () => {
    const args = detectArgs(filesFor(sealed()));
    const { err } = await runHere(args, { errIsTty: true });
    expect(err).toMatch(/Comparing signed texts: 1 of [1-9]\d+/);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
    expect((await runHere(args)).err).toBe("");
  });
});

function ivOf(source: Buffer): ProfileInput {
  return { iv: "fixed", fixedIv: source.subarray(0, 16).toString("hex") };
}
