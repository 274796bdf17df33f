import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { describeChange } from "../described/describe.ts";
import type { Cell, Planned, Report } from "../described/description.ts";
import { choice } from "../described/fields.ts";
import { explainAwsError } from "../target/explain-aws-error.ts";
import type { Target } from "../target/target.ts";
import { secretKinds } from "./inspect-keys.ts";
import { proveKeys } from "./prove-keys.ts";
import { type SecretCalls, secretCalls } from "./secret-calls.ts";
import { moveStage, movesFor } from "./stage-moves.ts";
import { holdersText, instancesText } from "./stages-text.ts";
import {
  findMerchant,
  readMerchantKeys,
  type StoredKeys,
  type StoredVersion,
} from "./stored-keys.ts";

const merchant = z.string().min(1).max(100).meta({
  description: "the merchant's id",
  placeholder: "MERCHANT",
});
const only = choice(
  "restore one secret; without it both, as far as they have a previous version",
  secretKinds,
);

export const restore = describeChange({
  verb: "restore",
  title: "Go back to the previous keys",
  summary:
    "Makes the previous version current again, when the new keys are wrong: it needs no files. The wrong version is taken out. A version that was revoked is not restored.",
  input: z.object({ merchant, only }),
  words: ["merchant"],
  plan: async (target, { merchant: merchantId, only: wanted }): Promise<Planned> => {
    const calls = secretCalls(target.clients.secretsManager);
    const stored = await readMerchantKeys(calls, findMerchant(target, merchantId));
    const returns = stored
      .filter(({ kind }) => wanted === undefined || kind === wanted)
      .flatMap(returnOf);
    if (returns.length === 0) throw nothingToRestore();
    return {
      report: await preview(target, returns),
      yes: "Go back",
      act: async (actual) => await goBack(actual, merchantId, returns),
    };
  },
});

/** A secret that goes back from its current version to its previous one. */
interface Return extends Pick<StoredKeys, "kind" | "merchantId" | "secretId"> {
  readonly current: StoredVersion;
  readonly previous: StoredVersion;
}

function returnOf({ kind, merchantId, secretId, current, previous }: StoredKeys): Return[] {
  if (current === undefined || previous === undefined) return [];
  if (previous.inspection.kind === "good") {
    return [{ kind, merchantId, secretId, current, previous }];
  }
  throw new PaycastError(
    "keys-invalid",
    `The previous ${kind} keys are not valid: ${previous.inspection.message} They are not restored. Set keys from files with "keys set".`,
  );
}

function nothingToRestore(): PaycastError {
  return new PaycastError(
    "not-found",
    'There is no previous version to go back to: there never was one, or it was revoked or taken out. Set keys from files with "keys set".',
  );
}

async function preview(target: Target, returns: readonly Return[]): Promise<Report> {
  const request = returns.find(({ kind }) => kind === "request");
  const proof = request && (await proveKeys(target, request.merchantId, request.previous));
  return {
    lines: ["These versions become current again, and those that are current now are taken out:"],
    table: {
      head: ["keys", "then", "version", "made", "RSA key", "AES key"],
      rows: returns.flatMap(({ kind, current, previous }) => [
        rowOf(kind, "taken out", current),
        rowOf(kind, "current", previous),
      ]),
    },
    below: [
      ...(proof ? [`The previous request keys are ${proof.text}`] : []),
      instancesText(target.kind),
    ],
    data: { secrets: returns.map(idsOf), ...(proof && { proof }) },
    isGood: true,
  };
}

function rowOf(kind: string, then: string, version: StoredVersion): readonly Cell[] {
  const { versionId, createdAtMilliseconds, inspection } = version;
  const prints =
    inspection.kind === "good"
      ? [inspection.facts.fingerprint, inspection.facts.aesFingerprint]
      : ["not valid", "not valid"];
  return [kind, then, versionId, { time: toRfc3339(createdAtMilliseconds) }, ...prints];
}

function idsOf({ kind, secretId, current, previous }: Return) {
  return { kind, secretId, takenOut: current.versionId, restored: previous.versionId };
}

async function goBack(
  target: Target,
  merchantId: string,
  returns: readonly Return[],
): Promise<Report> {
  await target.audit("keys-restore", {
    merchantId,
    secrets: returns.map(({ secretId }) => secretId),
    takenOut: returns.map(({ current }) => current.versionId),
    restored: returns.map(({ previous }) => previous.versionId),
  });
  const calls = secretCalls(target.clients.secretsManager);
  const ends: Awaited<ReturnType<typeof goBackIn>>[] = [];
  for (const one of returns) ends.push(await goBackIn(calls, one));
  const isGood = ends.every(({ isRestored }) => isRestored);
  return {
    lines: ends.map(({ line }) => line),
    below: isGood ? [instancesText(target.kind)] : [],
    data: { secrets: ends.map(({ line: _line, ...end }) => end) },
    isGood,
  };
}

async function goBackIn(calls: SecretCalls, one: Return) {
  const { kind, secretId } = one;
  const isRestored = await makeCurrent(calls, one).catch((error: unknown) => {
    throw interrupted(error, one);
  });
  const holders = await calls.stagesOf(secretId);
  const line = isRestored
    ? `The ${kind} keys are those of before again. ${holdersText(holders)}`
    : `Another command changed the ${kind} keys first. ${holdersText(holders)} Look with "keys check", then decide.`;
  return { ...idsOf(one), isRestored, holders, line };
}

/** False if the stages are no longer as they were shown: the version may have been revoked since. */
async function makeCurrent(calls: SecretCalls, one: Return): Promise<boolean> {
  const { kind, secretId, current, previous } = one;
  const holders = await calls.stagesOf(secretId);
  const isAsShown =
    holders.current === current.versionId && holders.previous === previous.versionId;
  const [versionId, wrong] = [previous.versionId, current.versionId];
  const moves = movesFor({ kind, way: "replace", versionId, current: wrong, kept: undefined });
  for (const move of isAsShown ? moves : []) {
    if (!(await moveStage(calls, secretId, move))) return false;
  }
  return isAsShown;
}

/** If it ends between two moves, the wrong version is the previous one. To restore that would bring it back. */
function interrupted(error: unknown, { kind, current }: Return): unknown {
  const explained = explainAwsError(error);
  if (explained === undefined) return error;
  const message = `${explained.message} The ${kind} keys may not be restored wholly. Look with "keys check": if version ${current.versionId} is the previous one, take it out with "keys revoke --version"; if it is current, do this again.`;
  return new PaycastError(explained.code, message, { cause: error });
}
