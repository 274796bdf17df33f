import {
  checkKeys,
  type KeysReport,
  type MerchantReport,
  type SecretReport,
  type VersionReport,
} from "../../operations/keys/check-keys.ts";
import type { KeyFacts } from "../../operations/keys/inspect-keys.ts";
import type { Proof } from "../../operations/keys/prove-keys.ts";
import { type Colours, printable } from "../../shared/terminal-text.ts";
import { pairs } from "../frame/columns.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { print, targetOptions, withTarget } from "../frame/target-command.ts";
import { timeText } from "../frame/time-text.ts";

const options = { ...targetOptions, hours: { type: "string" } } as const;

/** `keys check [MERCHANT]` */
export async function runCheck(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["MERCHANT?"]);
  const [merchantId] = words;
  const hours = readHours(values.hours);
  const report = await withTarget(values, (target) => checkKeys(target, { merchantId, hours }));
  const isGood = report.merchants.every(({ problems }) => problems.length === 0);
  print(terminal, values, { good: isGood, ...report }, () =>
    reportText(report, terminal.colours, Date.now()),
  );
  return isGood ? exitCodes.success : exitCodes.negative;
}

/** A version is of interest for the eight days for which it can verify, with a margin. */
const mostHours = 14 * 24;

function readHours(text = "24"): number {
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (hours >= 1 && hours <= mostHours) return hours;
  throw new UsageError(`--hours takes a number from 1 to ${mostHours}.`);
}

function reportText(
  { merchants, looked }: KeysReport,
  colours: Colours,
  nowMilliseconds: number,
): string {
  const blocks = merchants.map((merchant) => merchantText(merchant, colours, nowMilliseconds));
  const end = `Looked for use of the keys in ${looked.callbacks} recorded callbacks since ${looked.since}.\n`;
  return `${blocks.join("\n")}\n${end}`;
}

function merchantText(merchant: MerchantReport, colours: Colours, nowMilliseconds: number): string {
  const { merchantId, secrets, problems, warnings, notes, proof } = merchant;
  return [
    `${colours.bold(printable(merchantId))}\n`,
    ...secrets.map((secret) => secretText(secret, colours, nowMilliseconds)),
    ...problems.map((problem) => `${colours.red("Problem:")} ${problem}\n`),
    ...warnings.map((warning) => `${colours.yellow("Warning:")} ${warning}\n`),
    ...notes.map((note) => `Note: ${note}\n`),
    ...(proof ? [proofLine(proof, colours)] : []),
    ...(problems.length > 0 || proof?.outcome === "refused"
      ? []
      : [`${colours.green("The keys are good.")}\n`]),
  ].join("");
}

function proofLine(proof: Proof, colours: Colours): string {
  const sentence = printable(`The request keys are ${proof.text}`);
  return `${proof.outcome === "refused" ? `${colours.yellow("Warning:")} ` : ""}${sentence}\n`;
}

function secretText(
  { kind, secretId, versions, unread }: SecretReport,
  colours: Colours,
  nowMilliseconds: number,
): string {
  if (unread !== undefined) return `${kind} keys: not looked at. ${printable(unread)}\n\n`;
  if (versions.length === 0) return `${kind} keys: not set (${secretId})\n\n`;
  const texts = versions.map((version) => versionText(kind, version, colours, nowMilliseconds));
  return `${texts.join("\n")}\n`;
}

function versionText(
  kind: SecretReport["kind"],
  version: VersionReport,
  colours: Colours,
  nowMilliseconds: number,
): string {
  const { stage, keys, problem } = version;
  const state = keys === undefined ? colours.red("not valid") : colours.green("valid, tried");
  const at = (time: string | undefined) => time && timeText(time, nowMilliseconds);
  const isUsed = kind === "callback" && stage !== "pending";
  const lines = pairs([
    ["  version", version.versionId],
    ["  made", at(version.createdAt)],
    ["  verifies until", at(version.verifiesUntil)],
    ["  last used", isUsed ? (at(version.lastUsedAt) ?? "not in the time looked at") : undefined],
    ["  RSA key", keys && rsaText(keys)],
    ["  AES key", keys && aesText(keys)],
    ["  profile", keys && profileText(keys.profile)],
    ["  problem", problem],
  ]);
  return `${kind} keys, ${stage}: ${state}\n${lines}`;
}

export function rsaText({ rsaBits, fingerprint }: KeyFacts): string {
  return `${rsaBits} bits, SHA-256 ${fingerprint}`;
}

export function aesText({ aesBits, aesFingerprint }: KeyFacts): string {
  return `${aesBits} bits, fingerprint ${aesFingerprint}`;
}

/** On one line: what differs from the default. */
export function profileText(profile: Readonly<Record<string, unknown>>): string {
  return Object.keys(profile).length === 0 ? "the default" : JSON.stringify(profile);
}
