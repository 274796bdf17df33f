import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { describeChange } from "../described/describe.ts";
import type { Planned, Report, Section } from "../described/description.ts";
import { flag, text, withRule } from "../described/fields.ts";
import type { Target } from "../target/target.ts";
import { fileFault, keyFiles } from "./compose-keys.ts";
import { holdersText, instancesText, moveStages } from "./move-stages.ts";
import { planChange } from "./set-and-rotate-keys.ts";
import { merchantField, readMerchantKeys, type StoredKeys, secretCalls } from "./stored-keys.ts";
import { readVersionUse, type VersionUse } from "./version-use.ts";

const input = z.object({
  merchant: merchantField,
  previous: flag("revoke the previous version of both secrets"),
  version: text('revoke this version, as "keys check" shows it', "ID"),
  current: flag("revoke the current version; needs the files of new keys"),
  ...keyFiles,
});

export const revoke = describeChange({
  verb: "revoke",
  title: "Revoke keys",
  summary:
    "Takes a leaked version out: --previous, --version or --current. Functions that run use it for up to five minutes more.",
  promises: [
    "`--previous` takes the previous versions of both secrets out, `--version ID` one version. The current version cannot just go: `--current` with the files of new keys makes these current, and the leaked version has no stage at all.",
    "The functions find versions by their stage. The value itself stays in Secrets Manager until AWS removes versions without a stage, and who may read the secret can still read it by its id. So tell the payment service as well, which has to stop using the leaked key.",
    "If a `revoke --current` is killed between its moves, the leaked version is the previous one: run `keys revoke --previous`.",
  ],
  input: withRule(input, wayFault),
  words: ["merchant"],
  requires: "(--previous | --version ID | --current FILES)",
  plan: async (target, { merchant, previous, version, current, ...given }): Promise<Planned> =>
    current
      ? await planChange(target, "revoke", { merchant, ...given })
      : await planRevoke(target, merchant, version),
});

/** What is wrong with the choice of a version, as a predicate; undefined if it is clear. */
function wayFault(asked: z.output<typeof input>): string | undefined {
  const { merchant, previous, version, current, ...given } = asked;
  const ways = [previous, version !== undefined, current].filter((isGiven) => isGiven);
  if (ways.length !== 1) return "must say which version: --previous, --version ID, or --current";
  const areFiles = Object.values(given).some((file) => file !== undefined);
  if (!current) return areFiles ? "must have no files of keys without --current" : undefined;
  return areFiles
    ? fileFault(given)
    : "must have the files of the new keys with --current, such as --callback-keys FILE: without current keys every callback gets the answer 503";
}

/** A version that loses its stage, so that no function finds it any more. */
interface Revocation extends Pick<StoredKeys, "kind" | "secretId"> {
  readonly versionId: string;
  readonly stage: "previous" | "pending";
  /** Undefined if its keys are not valid. */
  readonly fingerprint: string | undefined;
}

/** The previous versions of both secrets, or one version by its id. */
async function planRevoke(
  target: Target,
  merchantId: string,
  wanted: string | undefined,
): Promise<Planned> {
  const stored = await readMerchantKeys(target, merchantId);
  const revocations = stored.flatMap((keys) => revocationsIn(keys, wanted));
  if (revocations.length === 0) {
    throw new PaycastError("not-found", wanted === undefined ? nonePrevious : noneFound);
  }
  const use = await readVersionUse(target);
  const { problem, since, lastUsedAt } = use;
  const report: Report = {
    lines: [],
    sections: revocations.map((one) => revocationSection(merchantId, one, use)),
    data: {
      merchantId,
      revocations: revocations.map((one) => {
        return { ...one, lastUsedAt: lastUsedAt.get(one.versionId) };
      }),
      problem,
      lookedSince: problem === undefined ? since : undefined,
    },
    isGood: true,
  };
  return {
    report,
    yes: "Revoke",
    act: async (actual) => await takeOut(actual, merchantId, revocations, report),
  };
}

function revocationsIn(stored: StoredKeys, wanted: string | undefined): Revocation[] {
  const { kind, secretId, current } = stored;
  if (wanted !== undefined && wanted === current?.versionId) {
    throw new PaycastError(
      "keys-current",
      `This is the current version of the ${kind} keys. It can only be replaced: "keys revoke --current" with the files of the new keys.`,
    );
  }
  return (["previous", "pending"] as const).flatMap((stage) => {
    const version = stored[stage];
    const isChosen = wanted === undefined ? stage === "previous" : version?.versionId === wanted;
    if (version === undefined || !isChosen) return [];
    const { versionId, keys } = version;
    return [{ kind, secretId, versionId, stage, fingerprint: keys?.facts.fingerprint }];
  });
}

function revocationSection(
  merchantId: string,
  { kind, stage, versionId, secretId, fingerprint }: Revocation,
  { lastUsedAt, since, problem }: VersionUse,
): Section {
  const time = lastUsedAt.get(versionId);
  const unused = problem
    ? `not known. ${problem}`
    : `by no callback that was recorded since ${since}`;
  const isUsed = kind === "callback" && stage === "previous";
  return {
    title: `The ${stage} ${kind} keys of ${merchantId} lose their stage:`,
    facts: [
      ["secret", secretId],
      ["version", versionId],
      ["RSA key", fingerprint && `SHA-256 ${fingerprint}`],
      ["last used", isUsed ? (time === undefined ? unused : { time }) : undefined],
    ],
  };
}

async function takeOut(
  target: Target,
  merchantId: string,
  revocations: readonly Revocation[],
  planned: Report,
): Promise<Report> {
  await target.audit("keys-revoke", {
    merchantId,
    secrets: revocations.map(({ secretId }) => secretId),
    versions: revocations.map(({ versionId }) => versionId),
    stages: revocations.map(({ stage }) => stage),
    fingerprints: revocations.map(({ fingerprint }) => fingerprint ?? "none"),
  });
  const calls = secretCalls(target.clients.secretsManager);
  const revoked = [];
  for (const { kind, secretId, versionId, stage } of revocations) {
    // False if another command moved the stage first.
    const isRevoked = await moveStages(calls, secretId, [{ stage, from: versionId }]);
    revoked.push({ kind, versionId, isRevoked, holders: await calls.stagesOf(secretId) });
  }
  const lines = revoked.map(({ kind, isRevoked, holders }) =>
    isRevoked
      ? `The version of the ${kind} keys has no stage any more. ${holdersText(holders)}`
      : `Another command moved the stage of the ${kind} keys first. ${holdersText(holders)} Look with "keys check".`,
  );
  return {
    ...planned,
    below: [...lines, instancesText(target.kind)],
    data: { ...planned.data, revoked },
    isGood: revoked.every(({ isRevoked }) => isRevoked),
  };
}

const nonePrevious =
  "No secret of this merchant has a previous version, so there is nothing to revoke.";
const noneFound =
  "No secret of this merchant has this version under a stage, so no function uses it. The versions there are: npx paycast keys check.";
