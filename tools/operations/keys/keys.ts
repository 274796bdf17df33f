import * as z from "zod";
import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { describeLook } from "../described/describe.ts";
import type { Cell, Offer, OperationGroup, Report, Section } from "../described/description.ts";
import { useOf } from "../records/version-use.ts";
import type { ExplainedRefusals } from "../refusals/explain-refusals.ts";
import { keyRows } from "../secrets/inspect-keys.ts";
import { merchantField } from "../secrets/stored-keys.ts";
import {
  checkKeys,
  type KeysReport,
  type MerchantReport,
  type SecretReport,
  type VersionReport,
} from "./check-keys.ts";
import { restore, revoke } from "./restore-and-revoke.ts";
import { set } from "./set-keys.ts";

const check = describeLook({
  verb: "check",
  summary:
    "Parses and tries each version of each secret as the functions do, and shows when it was last used. Proves the request keys by querying the payment service about a known payment.",
  input: z.object({ merchant: merchantField.optional() }),
  words: ["merchant"],
  look: async (target, { merchant: merchantId }): Promise<Report> => {
    const report = await checkKeys(target, merchantId);
    const isGood = report.merchants.every(({ problems }) => problems.length === 0);
    return {
      lines: [],
      sections: report.merchants.map((merchant) => merchantSection(merchant, report.looked)),
      below: [lookedText(report.looked)],
      data: { good: isGood, ...report },
      isGood,
    };
  },
});

function lookedText({ callbacks, since, problem }: KeysReport["looked"]): string {
  return problem === undefined
    ? `Read the last ${counted(callbacks, "callback")} of all merchants, since ${wholeSeconds(since)}.`
    : `Warning: When the keys were used is not known. ${problem}`;
}

function merchantSection(merchant: MerchantReport, looked: KeysReport["looked"]): Section {
  const { merchantId, secrets } = merchant;
  const versions = secrets.flatMap((secret) => {
    if (secret.unread !== undefined) return [];
    const { kind, secretId } = secret;
    if (secret.versions.length > 0) {
      return secret.versions.map((version) => versionSection(kind, version, looked));
    }
    return [{ title: `${kind} keys: not set`, facts: [["secret", secretId] as const] }];
  });
  return {
    title: merchantId,
    lines: verdictLines(merchant),
    sections: versions,
    offers: keyOffers(merchant),
  };
}

export function verdictLines(merchant: MerchantReport): string[] {
  const { secrets, problems, warnings, refusals, proof } = merchant;
  // What is a warning already is no note.
  const noted = secrets
    .flatMap(({ versions }) => versions)
    .filter(({ retirement }) => retirement !== "alone");
  const notes = noted.flatMap(({ note = [] }) => note);
  const isRefused = proof?.outcome === "refused";
  return [
    ...secrets.flatMap(({ kind, unread }) =>
      unread === undefined ? [] : [`The ${kind} keys were not checked. ${unread}`],
    ),
    ...problems.map((problem) => `Problem: ${problem}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...notes.map((note) => `Note: ${note}`),
    ...(refusals === undefined || refusals.kind === "all" ? [] : [refusalLine(refusals)]),
    ...secrets.flatMap(secretNotes),
    ...(proof ? [`${isRefused ? "Warning: " : ""}The request keys are ${proof.text}`] : []),
    ...(isCertainlyGood(merchant) ? ["The keys are good."] : []),
  ];
}

function refusalLine({ kind, text, action }: ExplainedRefusals): string {
  return kind === "service" ? `Warning: ${text} ${action}` : `Note: ${text}`;
}

/** Unexplained rejections may be caused by wrong keys. */
function isCertainlyGood({ problems, warnings, refusals, proof }: MerchantReport): boolean {
  const isExplained = refusals === undefined || ["forged", "over"].includes(refusals.kind);
  const isDoubted = problems.length > 0 || warnings.length > 0 || proof?.outcome === "refused";
  return isExplained && !isDoubted;
}

function secretNotes({ kind, revoked, oldKeysUntil }: SecretReport): string[] {
  return [
    ...(oldKeysUntil === undefined ? [] : [`The ${kind} keys were just changed. ${oldKeysUntil}`]),
    ...(revoked.length === 0 ? [] : [`Revoked ${kind} keys: ${revoked.join(", ")}.`]),
  ];
}

function versionSection(
  kind: SecretReport["kind"],
  version: VersionReport,
  { callbacks }: KeysReport["looked"],
): Section {
  const { stage, keys, problem, verifiesUntil, timesUsed } = version;
  const isUsed = kind === "callback" && stage !== "pending";
  return {
    title: `${kind} keys, ${stage}: ${keys === undefined ? "not valid" : "valid, tried"}`,
    facts: [
      ["version", version.versionId],
      ["created", { time: version.createdAt }],
      ["verifies until", verifiesUntil === undefined ? undefined : { time: verifiesUntil }],
      ["last used", isUsed ? lastUsedCell(version) : undefined],
      ["verified", isUsed && timesUsed !== undefined ? useOf(timesUsed, callbacks) : undefined],
      ...(keys ? keyRows(keys) : []),
      ["problem", problem === undefined ? undefined : { text: problem, tone: "bad" }],
    ],
  };
}

function lastUsedCell({ lastUsedAt, isUseUnknown }: VersionReport): Cell {
  if (lastUsedAt !== undefined) return { time: lastUsedAt };
  return isUseUnknown ? "not known" : "by none of the last callbacks";
}

const files = { callbackKeys: "callback-keys.json", requestKeys: "request-keys.json" };

/** What can be done with a merchant's keys as they are. */
export function keyOffers({
  merchantId: merchant,
  secrets,
  refusals,
}: MerchantReport): readonly Offer[] {
  const isSet = secrets.every(
    ({ versions, unread }) =>
      unread !== undefined || versions.some(({ stage }) => stage === "current"),
  );
  if (!isSet) return [{ purpose: "Set the keys", verb: "set", input: { merchant, ...files } }];
  const restorable = secrets.filter(({ versions }) => versions.some(isRestorable));
  const hasPrevious = secrets.some(({ versions }) =>
    versions.some(({ stage }) => stage === "previous"),
  );
  return [
    {
      purpose: "Rotate to new keys, before the service changes",
      verb: "set",
      input: { merchant, ...files },
    },
    ...(refusals?.restorable === undefined
      ? []
      : [
          {
            purpose: "Restore the version that verified the callbacks before",
            verb: "restore",
            input: { merchant, only: "callback", version: refusals.restorable },
          },
        ]),
    ...restorable.map(({ kind: only }) => ({
      purpose: `Restore the previous ${only} keys, if the current ones are wrong`,
      verb: "restore",
      input: { merchant, only },
    })),
    ...(hasPrevious
      ? [
          {
            purpose: "Remove the previous keys",
            verb: "revoke",
            input: { merchant, previous: true },
          },
        ]
      : []),
    {
      purpose: "Replace current keys that leaked",
      verb: "revoke",
      input: { merchant, current: true, ...files },
    },
  ];
}

/** The same that `keys restore` accepts: previous keys that are valid, and whose time is not over. */
function isRestorable({ stage, keys, retirement }: VersionReport): boolean {
  return stage === "previous" && keys !== undefined && retirement !== "over";
}

export const keys: OperationGroup = {
  name: "keys",
  about: [
    "A merchant has two secrets: callback keys verify and decrypt its callbacks, request keys sign its requests. Each secret has a current version and often a previous one. Previous callback keys verify callbacks for callbacks.previousKeysHours after the current version was created.",
    "Keys are read from files and never printed. Parts that you omit stay as they are. To compare a key with what the payment service shows: openssl pkey -pubin -in service.pem -outform DER | openssl sha256",
  ],
  operations: [check, set, restore, revoke],
  examples: [
    "keys check --stack Paycast",
    "keys set shop-1 --callback-keys callback-keys.json --request-keys request-keys.json --yes",
    "keys set shop-1 --service-public-key new-service.pem --stack Paycast",
    "keys revoke shop-1 --previous --stack Paycast --yes",
    "keys restore shop-1 --only request --stack Paycast",
    "keys restore shop-1 --version d5e1 --stack Paycast",
  ],
};
