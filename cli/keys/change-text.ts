import { haveSameAesKey } from "../../operations/keys/inspect-keys.ts";
import type { KeysPlan, SecretChange } from "../../operations/keys/plan-keys.ts";
import type { StoredChange } from "../../operations/keys/store-keys.ts";
import { type Colours, printable } from "../../shared/terminal-text.ts";
import { pairs } from "../frame/columns.ts";
import { nothingChanged } from "../frame/target-command.ts";
import type { Change } from "./change.ts";
import { profileText } from "./check.ts";
import { holdersText, instancesText } from "./stages-text.ts";

/** What `--json` prints of a plan: everything but the keys. */
export function planView({ merchantId, act, changes, unchanged, warnings, objections }: KeysPlan) {
  const shown = changes.map(
    ({ kind, secretId, versionId, way, current, kept, facts, verifiesUntil }) => {
      const ids = { kind, secretId, versionId, way, current, kept };
      return { ...ids, keys: facts, verifiesUntil };
    },
  );
  return { merchantId, act, changes: shown, unchanged, warnings, objections };
}

export function planText(plan: KeysPlan, colours: Colours): string {
  const merchant = printable(plan.merchantId);
  return [
    ...plan.changes.map((change) => changeText(merchant, change)),
    ...plan.unchanged.map((kind) => `The ${kind} keys of ${merchant} are these already.\n`),
    ...plan.warnings.map((warning) => `${colours.yellow("Warning:")} ${warning}\n`),
    ...plan.objections.map((objection) => `${colours.red("Not now:")} ${objection}\n`),
  ].join("");
}

function changeText(merchant: string, change: SecretChange): string {
  const { kind, facts, versionId, secretId } = change;
  const lines = pairs([
    ["  secret", secretId],
    ["  new version", versionId],
    ["  RSA key", `${facts.rsaBits} bits, SHA-256 ${facts.fingerprint}${before(change)}`],
    ["  AES key", `${facts.aesBits} bits${aesBefore(change)}`],
    ["  profile", profileText(facts.profile)],
    ["  then", effectOf(change)],
  ]);
  return `New ${kind} keys for ${merchant}, parsed and tried:\n${lines}`;
}

function before({ stored, facts }: SecretChange): string {
  const inspection = stored.current?.inspection;
  if (inspection?.kind !== "good") return "";
  const { fingerprint } = inspection.facts;
  return fingerprint === facts.fingerprint ? " (as now)" : ` (now ${fingerprint})`;
}

/** An AES key has no fingerprint: a key that people can type could be guessed from it. */
function aesBefore({ stored, inspection }: SecretChange): string {
  const current = stored.current?.inspection;
  if (current?.kind !== "good") return "";
  return haveSameAesKey(current.keys, inspection.keys) ? " (as now)" : " (another than now)";
}

function effectOf({ kind, way, current, kept, stored, verifiesUntil }: SecretChange): string {
  const pushedOut = stored.previous && `; ${stored.previous.versionId} is taken out`;
  switch (way) {
    case "first":
      return "they are the first keys of this secret";
    case "rotate":
      return kind === "callback"
        ? `version ${current} becomes the previous one, and callbacks under both verify until ${verifiesUntil}${pushedOut ?? ""}`
        : `requests are signed with them; version ${current} becomes the previous one and is not used`;
    case "replace":
      return kept === undefined
        ? `version ${current} is taken out, and there is no previous one`
        : `version ${current} is taken out; ${kept} stays the previous one${verifiesUntil === undefined ? "" : ` and verifies until ${verifiesUntil}`}`;
  }
}

interface Answer {
  readonly yes?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** How it ended, and what is true now. */
export function storedText(
  { plan, stored }: Change,
  { force }: Answer,
  target: "local" | "deployed",
): string {
  if (plan.changes.length === 0) return sameText(plan);
  if (stored === undefined) {
    const isRefused = plan.objections.length > 0 && force !== true;
    return isRefused
      ? "Nothing was changed. To do it all the same, add --force.\n"
      : nothingChanged;
  }
  const left = plan.changes.slice(stored.length).map(({ kind }) => kind);
  return [
    ...stored.map(storedLine),
    ...left.map((kind) => `The ${kind} keys were left as they are.\n`),
    ...(stored.some(({ outcome }) => outcome === "lost") ? [] : [effectText(plan, target)]),
  ].join("");
}

/** Without keys an instance asks for them at each callback, so the first ones are in use sooner than later ones. */
function effectText({ changes }: KeysPlan, target: "local" | "deployed"): string {
  return changes.every(({ way }) => way === "first")
    ? "Functions that already run use them within a minute.\n"
    : instancesText(target);
}

function sameText({ act }: KeysPlan): string {
  if (act !== "revoke") return "Nothing was changed.\n";
  return 'Nothing was changed: a leaked version is replaced by other keys. If an earlier run was stopped and left it as the previous version, run "keys revoke --previous".\n';
}

function storedLine({ kind, outcome, holders, versionId }: StoredChange): string {
  const now = holdersText(holders);
  if (outcome === "stored") return `The new ${kind} keys are current. ${now}\n`;
  const isCurrent = holders.current === versionId ? "are current" : "are NOT current";
  return `Another command changed the ${kind} keys at the same time. Your keys ${isCurrent}. ${now} Look with "keys check", then decide.\n`;
}
