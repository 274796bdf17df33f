import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { proveKeys } from "../calling/prove-keys.ts";
import type { Planned } from "../described/description.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse, useText, type VersionUse } from "../records/version-use.ts";
import { compareKeys } from "../secrets/key-doubts.ts";
import { othersOf, type StoredKeys, type StoredVersion } from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";
import { changeKeys } from "./apply-stages.ts";
import {
  decideStages,
  keptFirst,
  type Refusal,
  type SecretChange,
  type Wish,
} from "./decide-stages.ts";
import { afterwards, endReport, shownChange, stageTable } from "./preview-keys.ts";

type StageWish = Extract<Wish, { act: "restore" | "revoke" }>;

/** What a wish means for a secret. Throws if it cannot be done. */
export function decided(stored: StoredKeys, wish: StageWish, fault?: string): SecretChange {
  const decision = decideStages(stored, wish);
  if ("goal" in decision) return { stored, goal: decision.goal };
  const { refused } = decision;
  const problem = fault ?? stored.previous?.problem ?? timeIsOver;
  const isInvalid = refused !== "revokes-current" && refused !== "restores-current";
  const code = isInvalid ? "keys-invalid" : "keys-current";
  throw new PaycastError(code, refusals[refused](stored.kind, problem));
}

const timeIsOver =
  "Their time is over. If the service still uses them, select them with --version.";

export const fromFiles = 'Set keys from files with "keys set".';

export const noPrevious =
  "There is no previous version to restore: there never was one, or it was revoked or removed.";

const refusals: Readonly<Record<Refusal, (kind: string, problem?: string) => string>> = {
  "no-previous": () => noPrevious,
  "not-usable": (kind, problem) =>
    `These ${kind} keys cannot be used: ${problem} They are not restored. ${fromFiles}`,
  "is-revoked": (kind) =>
    `This version of the ${kind} keys was revoked, so it is never used again. ${fromFiles}`,
  "restores-current": (kind) =>
    `This is the current version of the ${kind} keys already. If the previous one is wrong, remove it: "keys revoke --previous".`,
  "revokes-current": (kind) =>
    `This is the current version of the ${kind} keys. It can only be replaced: "keys revoke --current" with the files of the new keys.`,
  "only-usable": (kind) =>
    `The current ${kind} keys are not valid, so the previous ones are the only ones that work. ${fromFiles} Then revoke them.`,
};

/** The plan of a change that only moves stages, as both faces show it and carry it out. */
export async function planned(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys">,
  act: "restore" | "revoke",
  decisions: readonly SecretChange[],
  yes: string,
): Promise<Planned> {
  const { changes, use } = await withUse(target, decisions);
  const lines = [
    ...doubtsAbout(act, changes, use),
    ...changes.flatMap(sameKeysWarning),
    ...lossesOf(changes, use),
    ...(await proofLines(target, act, changes)),
  ];
  const unknown = use?.problem && [`It is not known which version is used. ${use.problem}`];
  const report = {
    lines: [`The versions of the keys after this change:`],
    table: stageTable(changes, target, use),
    below: [...(unknown ?? []), ...lines, afterwards],
    data: { act, changes: changes.map(shownChange), problem: use?.problem },
    isGood: true,
  };
  return {
    report,
    yes,
    act: async (actual) =>
      endReport(
        { ...report, below: lines },
        changes,
        await changeKeys(actual, act, changes),
        actual,
      ),
  };
}

/** What each version of callback keys verified, also of those without a stage that verified something. */
async function withUse(
  target: Pick<Target, "clock" | "records" | "keys">,
  changes: readonly SecretChange[],
): Promise<{ changes: readonly SecretChange[]; use?: VersionUse }> {
  const callback = changes.find(({ stored }) => stored.kind === "callback");
  if (callback === undefined) return { changes };
  const { stored, named } = callback;
  const others = await othersOf(target, stored);
  const staged = [stored.current, stored.previous].filter((version) => version !== undefined);
  const read = await readVersionUse(target, [...staged, ...others]);
  const use = await useOfKeys(target, stored, read, keptFirst(callback));
  const used = others.filter(
    ({ versionId }) => use.timesUsed.has(versionId) && versionId !== named?.versionId,
  );
  return {
    use,
    changes: changes.map((change) => (change === callback ? { ...change, others: used } : change)),
  };
}

/** Restoring keys that verified nothing does not help. */
function doubtsAbout(
  act: string,
  changes: readonly SecretChange[],
  use: VersionUse | undefined,
): string[] {
  const [{ goal, others = [] } = {}] = changes;
  if (act !== "restore" || goal?.current === undefined) return [];
  if (use === undefined || use.callbacks === 0 || use.timesUsed.has(goal.current)) return [];
  const better = others.map(
    ({ versionId }) =>
      ` Version ${versionId} verified ${useText(versionId, use)}: select it with --version.`,
  );
  return [
    `Warning: The version that becomes current verified ${useText(goal.current, use)}.${better.join("")}`,
  ];
}

/** Revoking a version does not end the use of its keys, if a version that stays holds the same ones. */
function sameKeysWarning(change: SecretChange): string[] {
  const { goal, stored } = change;
  const versions = keptFirst(change);
  const revoked = versions.find(({ versionId }) => versionId === goal.revoked)?.keys;
  // The functions never use previous request keys.
  const usedIds = stored.kind === "callback" ? [goal.current, goal.previous] : [goal.current];
  const same = versions.find(
    ({ versionId, keys }) =>
      usedIds.includes(versionId) && revoked && keys && compareKeys(keys, revoked).areSameKeys,
  );
  if (same === undefined) return [];
  const isCurrent = same.versionId === goal.current;
  const remedy = isCurrent
    ? 'replace them: "keys revoke --current" with the files of new keys'
    : 'revoke them too: "keys revoke --previous"';
  return [
    `Warning: The ${isCurrent ? "current" : "previous"} ${stored.kind} keys are the same, and stay in use as version ${same.versionId}. If they leaked, ${remedy}.`,
  ];
}

/** Callbacks that a version verifies now are rejected when it is removed. */
function lossesOf(changes: readonly SecretChange[], use: VersionUse | undefined): string[] {
  const change = changes.find(({ stored }) => stored.kind === "callback");
  if (change === undefined || use === undefined) return [];
  const { goal, stored } = change;
  const kept = [goal.current, goal.previous].filter((versionId) => versionId !== undefined);
  const stages = [stored.stages.current, stored.stages.previous, goal.revoked];
  const out = stages.filter((versionId) => versionId !== undefined && !kept.includes(versionId));
  return [...new Set(out)].flatMap((versionId = "") => lossOf(versionId, kept, use));
}

/** Only if it verified more than what stays, or the last callback: some of the day's are older than a good rotation. */
function lossOf(versionId: string, kept: readonly string[], use: VersionUse): string[] {
  const usedAt = use.lastUsedAt.get(versionId);
  if (usedAt === undefined) return [];
  const timesOf = (id: string) => use.timesUsed.get(id) ?? 0;
  const isMost = kept.every((id) => timesOf(id) < timesOf(versionId));
  const isLast = kept.every((id) => (use.lastUsedAt.get(id) ?? "") < usedAt);
  if (!isMost && !isLast) return [];
  const stays = kept.map((id) => `version ${id} verified ${useText(id, use)}`).join(", ");
  return [
    `Warning: Version ${versionId}, which this change removes, verified ${useText(versionId, use)}, the last at ${wholeSeconds(usedAt)}. What stays: ${stays}. Callbacks that only the removed version verifies are rejected.`,
  ];
}

/** Whether the service accepts request keys that become current. */
async function proofLines(
  target: Pick<Target, "stack" | "clock" | "orders">,
  act: string,
  changes: readonly SecretChange[],
): Promise<string[]> {
  const [{ stored, goal, named } = {}] = act === "restore" ? changes : [];
  const read = [stored?.previous, named].filter(
    (version) => version !== undefined && isRead(version),
  );
  const version = read.find(({ versionId }) => versionId === goal?.current);
  if (stored?.kind !== "request" || version === undefined) return [];
  const proof = await proveKeys(target, stored.merchantId, version);
  const which = version === stored.previous ? "The previous request keys" : "These request keys";
  return proof === undefined ? [] : [`${which} are ${proof.text}`];
}

function isRead(version: NonNullable<SecretChange["named"]>): version is StoredVersion {
  return "text" in version;
}
