import type { KeyFacts } from "../../operations/keys/inspect-keys.ts";
import { type KeysPlan, lacksProof, type SecretChange } from "../../operations/keys/plan-keys.ts";
import type { Proof } from "../../operations/keys/prove-keys.ts";
import { holdersText, instancesText } from "../../operations/keys/stages-text.ts";
import type { StoredChange } from "../../operations/keys/store-keys.ts";
import { type Colours, printable } from "../../shared/terminal-text.ts";
import { pairs } from "../frame/columns.ts";
import { nothingChanged } from "../frame/target-command.ts";
import type { Change } from "./change.ts";
import { aesText, profileText, rsaText } from "./check.ts";

/** What `--json` prints of a plan: everything but the keys. */
export function planView(plan: KeysPlan) {
  const { merchantId, act, changes, unchanged, warnings, objections, proof } = plan;
  const shown = changes.map(
    ({ kind, secretId, versionId, way, current, kept, facts, verifiesUntil }) => {
      const ids = { kind, secretId, versionId, way, current, kept };
      return { ...ids, keys: facts, verifiesUntil };
    },
  );
  return { merchantId, act, changes: shown, unchanged, warnings, objections, proof };
}

export function planText(plan: KeysPlan, colours: Colours): string {
  const merchant = printable(plan.merchantId);
  return [
    ...plan.changes.map((change) => changeText(merchant, change)),
    ...plan.unchanged.map((kind) => `The ${kind} keys of ${merchant} are these already.\n`),
    ...plan.warnings.map((warning) => `${colours.yellow("Warning:")} ${warning}\n`),
    ...plan.objections.map((objection) => `${colours.red("Not now:")} ${objection}\n`),
    ...(plan.proof ? [provenLine(plan, plan.proof, colours)] : []),
  ].join("");
}

function provenLine(plan: KeysPlan, proof: Proof, colours: Colours): string {
  const sentence = printable(`The new request keys are ${proof.text}`);
  if (!lacksProof(plan)) return `${sentence}\n`;
  const why = "If the service does not accept them, it refuses every new order.";
  return `${colours.red("Not now:")} ${sentence} ${why}\n`;
}

/** The options that are missing to do it all the same. */
export function missingWords(plan: KeysPlan, { force, unproven }: Answer): readonly string[] {
  return [
    ...(plan.objections.length > 0 && force !== true ? ["--force"] : []),
    ...(lacksProof(plan) && unproven !== true ? ["--unproven"] : []),
  ];
}

function changeText(merchant: string, change: SecretChange): string {
  const { kind, facts, versionId, secretId } = change;
  const lines = pairs([
    ["  secret", secretId],
    ["  new version", versionId],
    ["  RSA key", `${rsaText(facts)}${before(change, ({ fingerprint }) => fingerprint)}`],
    ["  AES key", `${aesText(facts)}${before(change, ({ aesFingerprint }) => aesFingerprint)}`],
    ["  profile", profileText(facts.profile)],
    ["  then", effectOf(change)],
  ]);
  return `New ${kind} keys for ${merchant}, parsed and tried:\n${lines}`;
}

function before({ stored, facts }: SecretChange, printOf: (facts: KeyFacts) => string): string {
  const inspection = stored.current?.inspection;
  if (inspection?.kind !== "good") return "";
  const now = printOf(inspection.facts);
  return now === printOf(facts) ? " (as now)" : ` (now ${now})`;
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
  readonly unproven?: boolean | undefined;
}

/** How it ended, and what is true now. */
export function storedText(
  { plan, stored }: Change,
  answer: Answer,
  target: "local" | "deployed",
): string {
  if (plan.changes.length === 0) return sameText(plan);
  if (stored === undefined) {
    const missing = missingWords(plan, answer);
    return missing.length > 0
      ? `Nothing was changed. To do it all the same, add ${missing.join(" ")}.\n`
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
    : `${instancesText(target)}\n`;
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
