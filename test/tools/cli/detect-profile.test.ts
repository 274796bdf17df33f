import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { type ProfileInput, readProfile } from "../../../shared/envelope/profile.ts";
import { callbackVectors, requestVectors } from "../../vectors/vectors.ts";
import {
  callbackFiles,
  detectArgs,
  detected,
  foundReport,
  notFoundReport,
  requestFiles,
  runCommand,
  runHere,
  runPaycast,
} from "./run-paycast.ts";
import { aesKey, filesFor, result, sealed } from "./seal-capture.ts";

const byOpenssl = callbackVectors.find(({ name }) => name === "default-openssl")!;
const byJdk = callbackVectors.find(({ profile }) => profile["cipher"] === "GCM")!;

describe("the command, started as a user starts it,", () => {
  test("finds the default profile of a callback that openssl made", async () => {
    const { code, out, err } = await runPaycast(...detectArgs(callbackFiles(byOpenssl)));
    expect(out).toMatch(/^The default profile fits: leave the field "profile" out of both secrets/);
    expect(out).toMatch(/^\{\}$/m);
    expect(out).toMatch(
      / Tried [1-9][\d,]{6,} combinations, each accepted or excluded, in \d+\.\d\d seconds\.\n/,
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("finds another profile, says where to paste it, and --json prints the same", async () => {
    const args = detectArgs(callbackFiles(byJdk));
    const [shown, printed] = await Promise.all([
      runPaycast(...args),
      runPaycast(...args, "--json"),
    ]);
    const report = foundReport.parse(JSON.parse(printed.out));
    expect(shown.out).toMatch(
      /^A profile fits\. Paste it as the field "profile" into both secrets/,
    );
    expect(shown.out).toContain(`\n\n${JSON.stringify(report.profile, null, 2)}\n\n`);
    expect(report.profile).toMatchObject({ cipher: "GCM" });
    expect([shown.code, printed.code, shown.err, printed.err]).toEqual([0, 0, "", ""]);
  });

  test("finds the profile of a request with the merchant's private key", async () => {
    const { code, out } = await runPaycast(
      ...detectArgs(requestFiles(requestVectors[1]!), "--json"),
    );
    expect(foundReport.parse(JSON.parse(out))).toMatchObject({ capture: "request" });
    expect(code).toBe(0);
  });

  test("names no profile for a changed callback, and exits with 1", async () => {
    const envelope = { ...byOpenssl.envelope, eventName: "payment.order.failed" };
    const files = { ...callbackFiles(byOpenssl), callback: JSON.stringify(envelope) };
    const { code, out, err } = await runPaycast(...detectArgs(files, "--json"));
    const report = notFoundReport.parse(JSON.parse(out));
    expect([report.body.reached, report.signature.reached]).toEqual(["json", "text-unknown"]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
  });

  test("exits with 2 for a file it cannot read", async () => {
    const files = { ...callbackFiles(byOpenssl), callback: "\u0000\u0001" };
    const { code, out, err } = await runPaycast(...detectArgs(files));
    expect(err).toBe(
      "paycast detect-profile: The file of --callback holds no callback envelope: it is not JSON.\n",
    );
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
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
  ])("holds no key and no value of the plaintext: %s", async (_what, profile, files) => {
    const args = detectArgs({ ...filesFor(sealed({ profile })), ...files });
    for (const { out, err } of [await runHere(args), await runHere([...args, "--json"])]) {
      for (const secret of secrets) expect(out + err).not.toContain(secret);
      expect(out + err).not.toContain(readProfile(profile).fixedIv ?? "no IV");
    }
  });

  test("for an IV that is part of the key is a command that gives it, and with it the profile is whole", async () => {
    for (const bytes of [Buffer.from(aesKey, "base64"), Buffer.from(aesKey)]) {
      const files = filesFor(sealed({ profile: ivOf(bytes) }));
      const args = detectArgs(files, "--json");
      const report = foundReport.parse(JSON.parse((await runHere(args)).out));
      expect(() => readProfile(report.profile)).toThrow("fixedIv must be hexadecimal");
      const command = /: ((?:base64|head) .*)$/.exec(report.warnings[0]!)![1]!;
      const file = args[args.indexOf("--aes-key") + 1]!;
      const { out } = await runCommand("sh", ["-c", command.replace("AES_KEY_FILE", file)]);
      expect(readProfile({ ...report.profile, fixedIv: out })).toEqual(readProfile(ivOf(bytes)));
    }
  });

  test("tells the names of the body's fields", async () => {
    expect((await detected(filesFor(sealed()))).bodyFields).toEqual(Object.keys(result));
  });

  test("warns of a key that is too short, and of GCM that cannot seal", async () => {
    const short = callbackVectors.find(({ publicKey }) => publicKey === "test-too-short-1024")!;
    const found = await detected(callbackFiles(short));
    expect(found.profile).toEqual({ minimumRsaBits: 1024 });
    expect(found.warnings).toEqual([expect.stringContaining("The RSA key has 1024 bits")]);
    const zeroIv = callbackVectors.find(
      ({ profile }) => profile["cipher"] === "GCM" && profile["iv"] === "zero",
    )!;
    expect((await detected(callbackFiles(zeroIv))).warnings.join()).toContain("refuses to seal");
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
