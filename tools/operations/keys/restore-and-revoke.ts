import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { keysKeptMilliseconds } from "../../../shared/timing.ts";
import { describeChange } from "../described/describe.ts";
import type { Planned } from "../described/description.ts";
import { choice, flag, text, withRule } from "../described/fields.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse, useText } from "../records/version-use.ts";
import { fileFault, keyFiles } from "../secrets/compose-keys.ts";
import { secretKinds } from "../secrets/inspect-keys.ts";
import {
  findVersion,
  merchantField,
  othersOf,
  readMerchantKeys,
  readVersion,
  type StoredKeys,
} from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";
import type { SecretChange } from "./decide-stages.ts";
import { refuseRevoked } from "./find-objections.ts";
import { decided, fromFiles, noPrevious, planned } from "./plan-stages.ts";
import { asPlanned, planNewKeys, unprovenFlag } from "./set-keys.ts";

const versionText =
  "as `keys check` or `keys restore` shows it; its first four characters are enough";

export const restore = describeChange({
  verb: "restore",
  title: "Go back to earlier keys",
  summary:
    "Makes the previous version current again when the new keys are wrong, or with --version any version that Secrets Manager still holds. It needs no files. The wrong version loses its stage. A revoked version cannot be restored.",
  input: z.object({
    merchant: merchantField,
    only: choice("which keys to restore; required if both have a previous version", secretKinds),
    version: text(`restore this version, ${versionText}`, "ID"),
  }),
  words: ["merchant"],
  plan: async (target, { merchant, only, version }): Promise<Planned> => {
    const kinds = only === undefined ? secretKinds : [only];
    const stored = await readMerchantKeys(target, merchant, kinds);
    const change =
      version === undefined
        ? await restorePrevious(target, stored)
        : await restoreNamed(target, stored, version);
    await refuseRevoked(target, [change]);
    return await planned(target, "restore", [change], "Go back");
  },
});

async function restorePrevious(
  target: Pick<Target, "clock" | "records" | "keys">,
  stored: readonly StoredKeys[],
): Promise<SecretChange> {
  const [found, second] = stored.filter(({ previous }) => previous !== undefined);
  if (found === undefined) {
    const used = await usedVersions(target, stored);
    throw new PaycastError("not-found", `${noPrevious} ${used}${fromFiles}`);
  }
  // Often only one of them is wrong, and the previous version of the other may be very old.
  if (second !== undefined) throw new PaycastError("wrong-usage", bothPrevious);
  return decided(found, { act: "restore" });
}

const bothPrevious =
  "Both the callback keys and the request keys have a previous version. Choose one: --only callback or --only request.";

async function restoreNamed(
  target: Pick<Target, "stack" | "keys">,
  stored: readonly StoredKeys[],
  prefix: string,
): Promise<SecretChange> {
  const { keys, versionId } = await findVersion(target, stored, prefix);
  const named = await readVersion(target, keys, versionId);
  if (named === undefined) throw new PaycastError("keys-invalid", `${valueGone} ${fromFiles}`);
  return { ...decided(keys, { act: "restore", version: named }, named.problem), named };
}

const valueGone =
  "Secrets Manager no longer has the value of this version, so it cannot be restored.";

/** The versions without a stage that verified callbacks lately, for an operator who has no previous one. */
async function usedVersions(
  target: Pick<Target, "clock" | "records" | "keys">,
  stored: readonly StoredKeys[],
): Promise<string> {
  const keys = stored.find(({ kind }) => kind === "callback");
  if (keys === undefined) return "";
  const held = await othersOf(target, keys);
  const use = await useOfKeys(target, keys, await readVersionUse(target, held));
  const used = held.filter(({ versionId }) => use.timesUsed.has(versionId));
  return used
    .map(
      ({ versionId }) =>
        `Version ${versionId} verified ${useText(versionId, use)}: --version ${versionId}. `,
    )
    .join("");
}

const revokeInput = z.object({
  merchant: merchantField,
  previous: flag("revoke the previous version of both secrets"),
  version: text(`revoke this version, ${versionText}`, "ID"),
  current: flag("revoke the current version; needs the files of new keys"),
  ...keyFiles,
  force: flag("with --current, even if this removes other previous keys that are still in use"),
  unproven: unprovenFlag,
});

export const revoke = describeChange({
  verb: "revoke",
  title: "Revoke keys",
  summary: `Removes a leaked version: --previous, --version or --current. Functions may use it for up to ${keysKeptMilliseconds / 60_000} more minutes.`,
  input: withRule(revokeInput, versionFault),
  words: ["merchant"],
  requires: "(--previous | --version ID | --current FILES)",
  plan: async (target, { merchant, previous, version, current, ...given }): Promise<Planned> =>
    current
      ? asPlanned(target, await planNewKeys(target, "revoke", { merchant, ...given }))
      : await planRevoke(target, merchant, version),
});

/** What is wrong with the choice of a version, as a predicate; undefined if it is clear. */
function versionFault(asked: z.output<typeof revokeInput>): string | undefined {
  const { merchant: _merchant, previous, version, current, force, unproven, ...given } = asked;
  const ways = [previous, version !== undefined, current].filter((isGiven) => isGiven);
  if (ways.length !== 1) return "must say which version: --previous, --version ID, or --current";
  const areFiles = Object.values(given).some((file) => file !== undefined);
  if (!current) {
    if (force || unproven) return "must have no --force and no --unproven without --current";
    return areFiles ? "must have no files of keys without --current" : undefined;
  }
  return areFiles
    ? fileFault(given)
    : "must have the files of the new keys with --current, such as --callback-keys FILE: without current keys every callback fails with 503";
}

/** The previous versions of both secrets, or one version by its id. */
async function planRevoke(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys">,
  merchantId: string,
  prefix: string | undefined,
): Promise<Planned> {
  const stored = await readMerchantKeys(target, merchantId);
  const changes =
    prefix === undefined
      ? stored.flatMap((keys) => {
          const { previous: versionId } = keys.stages;
          return versionId === undefined ? [] : [decided(keys, { act: "revoke", versionId })];
        })
      : [await revokeNamed(target, stored, prefix)];
  if (changes.length === 0) throw new PaycastError("not-found", nonePrevious);
  return await planned(target, "revoke", changes, "Revoke");
}

async function revokeNamed(
  target: Pick<Target, "stack" | "keys">,
  stored: readonly StoredKeys[],
  prefix: string,
): Promise<SecretChange> {
  const { keys, ...held } = await findVersion(target, stored, prefix);
  const { versionId } = held;
  const named = (await readVersion(target, keys, versionId)) ?? held;
  return { ...decided(keys, { act: "revoke", versionId }), named };
}

const nonePrevious =
  "No secret of this merchant has a previous version, so there is nothing to revoke.";
