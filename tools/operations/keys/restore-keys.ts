import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { describeChange } from "../described/describe.ts";
import type { Cell, Planned, Report } from "../described/description.ts";
import { choice } from "../described/fields.ts";
import { explainAwsError } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import { keysInvalid, secretKinds } from "./inspect-keys.ts";
import { holdersText, instancesText, moveStages, movesFor } from "./move-stages.ts";
import { proveKeys } from "./prove-keys.ts";
import {
  merchantField,
  readMerchantKeys,
  type SecretCalls,
  type StoredKeys,
  type StoredVersion,
  secretCalls,
} from "./stored-keys.ts";

const only = choice(
  "which keys go back; must be given if both have a previous version",
  secretKinds,
);

export const restore = describeChange({
  verb: "restore",
  title: "Go back to the previous keys",
  summary:
    "Makes the previous version current again, when the new keys are wrong: it needs no files. The wrong version is taken out. A version that was revoked is not restored.",
  promises: [
    "It takes one secret back. If both have a previous version, `--only callback` or `--only request` must be given: often only one is wrong, and the previous version of the other may be very old.",
    "A previous version that is not valid is refused, and so are previous callback keys whose time is over: set keys anew. So is one that was revoked, also between the preview and the yes: it has no stage. A second run finds no previous version, so it cannot bring the wrong keys back. The console has it as a button.",
    "If the command is killed between its two moves, the wrong version is the previous one: run `keys revoke --previous`, not `keys restore`.",
  ],
  input: z.object({ merchant: merchantField, only }),
  words: ["merchant"],
  plan: async (target, { merchant: merchantId, only: wanted }): Promise<Planned> => {
    const kinds = wanted === undefined ? secretKinds : [wanted];
    const stored = await readMerchantKeys(target, merchantId, kinds);
    const [found, second] = stored.flatMap(returnOf);
    if (found === undefined) throw new PaycastError("not-found", nothingToRestore);
    // Often only one of them is wrong, and the previous version of the other may be very old.
    if (second !== undefined) throw new PaycastError("wrong-usage", notOne);
    refuseUnlessUsable(found);
    return {
      report: await preview(target, found),
      yes: "Go back",
      act: async (actual) => await goBack(actual, found),
    };
  },
});

/** A secret that goes back from its current version to its previous one. */
interface Return extends Pick<StoredKeys, "kind" | "merchantId" | "secretId"> {
  readonly current: StoredVersion;
  readonly previous: StoredVersion;
}

function returnOf({ kind, merchantId, secretId, current, previous }: StoredKeys): Return[] {
  return current && previous ? [{ kind, merchantId, secretId, current, previous }] : [];
}

function refuseUnlessUsable({ kind, previous: { problem, endsAt } }: Return): void {
  const then = 'They are not restored. Set keys from files with "keys set".';
  if (problem !== undefined) {
    throw keysInvalid(`The previous ${kind} keys are not valid: ${problem} ${then}`);
  }
  if (endsAt !== undefined && endsAt <= Date.now()) {
    const end = toRfc3339(endsAt);
    throw keysInvalid(`The time of the previous ${kind} keys was over at ${end}. ${then}`);
  }
}

const notOne =
  "Both the callback keys and the request keys have a previous version. Say which go back: --only callback or --only request.";
const nothingToRestore =
  'There is no previous version to go back to: there never was one, or it was revoked or taken out. Set keys from files with "keys set".';

async function preview(target: Target, one: Return): Promise<Report> {
  const { kind, merchantId, current, previous } = one;
  const proof = kind === "request" ? await proveKeys(target, merchantId, previous) : undefined;
  return {
    lines: ["This version becomes current again, and the one that is current now is taken out:"],
    table: {
      head: ["keys", "then", "version", "made", "RSA key", "AES key"],
      rows: [rowOf(kind, "taken out", current), rowOf(kind, "current", previous)],
    },
    below: [
      ...(proof ? [`The previous request keys are ${proof.text}`] : []),
      instancesText(target.kind),
    ],
    data: { ...idsOf(one), ...(proof && { proof }) },
    isGood: true,
  };
}

function rowOf(kind: string, then: string, version: StoredVersion): readonly Cell[] {
  const { versionId, createdAtMilliseconds, keys } = version;
  const { fingerprint = "not valid", aesFingerprint = "not valid" } = keys?.facts ?? {};
  const time = toRfc3339(createdAtMilliseconds);
  return [kind, then, versionId, { time }, fingerprint, aesFingerprint];
}

function idsOf({ kind, secretId, current, previous }: Return) {
  return { kind, secretId, takenOut: current.versionId, restored: previous.versionId };
}

async function goBack(target: Target, one: Return): Promise<Report> {
  const { kind, merchantId, secretId } = one;
  const { takenOut, restored } = idsOf(one);
  await target.audit("keys-restore", { merchantId, secretId, takenOut, restored });
  const calls = secretCalls(target.clients.secretsManager);
  const isRestored = await makeCurrent(calls, one).catch((error: unknown) => {
    throw interrupted(error, one);
  });
  const holders = await calls.stagesOf(secretId);
  const line = isRestored
    ? `The ${kind} keys are those of before again. ${holdersText(holders)}`
    : `Another command changed the ${kind} keys first. ${holdersText(holders)} Look with "keys check", then decide.`;
  return {
    lines: [line],
    below: isRestored ? [instancesText(target.kind)] : [],
    data: { ...idsOf(one), isRestored, holders },
    isGood: isRestored,
  };
}

/** False if the stages are no longer as they were shown: the version may have been revoked since. */
async function makeCurrent(calls: SecretCalls, one: Return): Promise<boolean> {
  const { kind, secretId, current, previous } = one;
  const holders = await calls.stagesOf(secretId);
  const isAsShown =
    holders.current === current.versionId && holders.previous === previous.versionId;
  const [versionId, wrong] = [previous.versionId, current.versionId];
  const moves = movesFor({ kind, way: "replace", versionId, current: wrong, kept: undefined });
  return isAsShown && (await moveStages(calls, secretId, moves));
}

/** If the command ends between two moves, the wrong version is the previous one. A second restore would bring it back. */
function interrupted(error: unknown, { kind, current }: Return): unknown {
  const explained = explainAwsError(error);
  if (explained === undefined) return error;
  const message = `${explained.message} The ${kind} keys may not be restored wholly. Look with "keys check": if version ${current.versionId} is the previous one, take it out with "keys revoke --version"; if it is current, do this again.`;
  return new PaycastError(explained.code, message, { cause: error });
}
