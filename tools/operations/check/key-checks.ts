import { fewestInQuietShop } from "../../../shared/receiving/refusal-alarm.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { outdatedKeysMilliseconds } from "../../../shared/timing.ts";
import { proveKeys } from "../calling/prove-keys.ts";
import type { SecretKind } from "../keys/inspect-keys.ts";
import { readMerchantKeys, type StoredKeys } from "../keys/stored-keys.ts";
import { readVersionUse, useText } from "../records/version-use.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { type MerchantSecrets, stackOption, type Target } from "../target/target.ts";
import { type Check, ok, problem, type Verdict, warning } from "./finding.ts";

/** Both secrets of each merchant: set, and readable by the functions. */
export function keyChecks({ merchants }: Target): readonly Check[] {
  return merchants.flatMap((merchant) => [
    keysCheck(merchant, "callback"),
    ...(merchant.requestKeys === undefined ? [] : [keysCheck(merchant, "request")]),
  ]);
}

function keysCheck(merchant: MerchantSecrets, kind: SecretKind): Check {
  return {
    name: `${kind} keys of ${merchant.merchantId}`,
    run: async (target, { now }) => {
      try {
        const stored = await readMerchantKeys(target, merchant.merchantId, [kind]);
        const verdicts = stored.map((keys) => verdictOn(target, keys, now()));
        return await Promise.all(verdicts);
      } catch (error) {
        const explained = explainAwsError(error);
        // Not everybody who looks may see the key that signs orders, so that is no fault of the deployment.
        if (kind === "callback" || explained?.code !== "aws-denied") throw error;
        return [ok(`not looked at. ${explained.message}`)];
      }
    },
  };
}

async function verdictOn(target: Target, keys: StoredKeys, now: number): Promise<Verdict> {
  const { kind, merchantId, current, previous } = keys;
  if (current === undefined) {
    return problem("The secret has no value.", `Set the keys: ${setCommand(target, merchantId)}`);
  }
  if (current.problem !== undefined) {
    return problem(current.problem, `Set valid keys: ${setCommand(target, merchantId)}`);
  }
  const setAt = `set at ${toRfc3339(current.createdAtMilliseconds)}, and valid`;
  if (kind === "request") return await provenVerdict(target, keys, current, setAt);
  const { endsAt = 0, problem: fault } = previous ?? {};
  if (endsAt <= now) return ok(setAt);
  const end = toRfc3339(endsAt);
  if (fault === undefined) {
    const outdated = await outdatedVerdict(target, keys, end, now);
    return outdated ?? ok(`${setAt}; the previous version verifies until ${end}`);
  }
  // It refuses what the service still signs with the old keys.
  return warning(
    `The previous version is not valid: ${fault}`,
    `Nothing, if the service signs with the new keys only; it ends ${end}.`,
  );
}

/** What the alarm on outdated keys says, from the newest records. Read only if a wrong current key can hide. */
async function outdatedVerdict(
  target: Target,
  { merchantId, current, previous }: StoredKeys,
  end: string,
  now: number,
): Promise<Verdict | undefined> {
  if (current === undefined || previous === undefined) return undefined;
  if (now - current.createdAtMilliseconds <= outdatedKeysMilliseconds) return undefined;
  const use = await readVersionUse(target, [current], () => now);
  const count = use.timesUsed.get(previous.versionId) ?? 0;
  if (count < fewestInQuietShop || use.timesUsed.has(current.versionId)) return undefined;
  const [merchant, stack] = [shellWord(merchantId), stackOption(target)];
  return warning(
    `The current version, set at ${toRfc3339(current.createdAtMilliseconds)}, verified none of them; the previous one verified ${useText(previous.versionId, use)}. It ends at ${end}, and then every callback is refused.`,
    `Compare the fingerprints with the service's: npx paycast keys check ${merchant}${stack}. The keys of before: npx paycast keys restore ${merchant} --only callback${stack}`,
  );
}

async function provenVerdict(
  target: Target,
  { merchantId }: StoredKeys,
  current: NonNullable<StoredKeys["current"]>,
  setAt: string,
): Promise<Verdict> {
  const proof = await proveKeys(target, merchantId, current);
  const found = proof === undefined ? setAt : `${setAt}; ${proof.text}`;
  if (proof?.outcome !== "refused") return ok(found);
  const [merchant, stack] = [shellWord(merchantId), stackOption(target)];
  // The interface gives codes no meaning (§7), so it is not certain that this is a problem.
  return warning(
    found,
    `Compare the fingerprints with the service's: npx paycast keys check ${merchant}${stack}. The keys of before: npx paycast keys restore ${merchant} --only request${stack}`,
  );
}

/** Sets both secrets. Keys that are stored already are not stored again. */
function setCommand(target: Target, merchantId: string): string {
  const own = target.gateway === undefined ? "" : " --merchant-private-key FILE";
  return `npx paycast keys set ${shellWord(merchantId)} --aes-key FILE --service-public-key FILE${own}${stackOption(target)} --yes`;
}
