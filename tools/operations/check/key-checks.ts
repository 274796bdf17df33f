import { shellWord } from "../../../shared/text/shell-word.ts";
import { proveKeys } from "../calling/prove-keys.ts";
import { explainAwsError } from "../explain-error.ts";
import { isAvailable } from "../ports/available.ts";
import type { MerchantSecrets } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { readVersionUse } from "../records/version-use.ts";
import { type ExplainedRefusals, tryToExplain } from "../refusals/explain-refusals.ts";
import { timeText } from "../refusals/find-cause.ts";
import { judgePrevious, warnOfUse } from "../refusals/judge-previous.ts";
import type { SecretKind } from "../secrets/inspect-keys.ts";
import {
  oldKeysText,
  oldKeysUntil,
  readMerchantKeys,
  type StoredKeys,
} from "../secrets/stored-keys.ts";
import { useOfKeys } from "../secrets/use-of-keys.ts";
import { stackOption } from "../stack-option.ts";
import { type Check, ok, problem, type Verdict, warning } from "./finding.ts";

/** Both secrets of each merchant: set, and readable by the functions. */
export function keyChecks({ stack: { merchants } }: Target): readonly Check[] {
  return merchants.flatMap((merchant) => [
    keysCheck(merchant, "callback"),
    ...(merchant.requestKeys === undefined ? [] : [keysCheck(merchant, "request")]),
  ]);
}

function keysCheck(merchant: MerchantSecrets, kind: SecretKind): Check {
  return {
    name: `${kind} keys of ${merchant.merchantId}`,
    run: async (target) => {
      try {
        const stored = await readMerchantKeys(target, merchant.merchantId, [kind]);
        const verdicts = stored.map((keys) => verdictOn(target, merchant, keys));
        return await Promise.all(verdicts);
      } catch (error) {
        const explained = explainAwsError(error);
        if (explained?.code !== "aws-denied") throw error;
        return [await unreadVerdict(target, merchant, kind, explained.message)];
      }
    },
  };
}

/**
 * Not every operator may see the keys, so that is no fault of the deployment. Counts, records and version ids still
 * show why callbacks are rejected.
 */
async function unreadVerdict(
  target: Pick<Target, "stack" | "clock" | "records" | "keys" | "log" | "metrics">,
  merchant: MerchantSecrets,
  kind: SecretKind,
  denied: string,
): Promise<Verdict> {
  const unread = `not checked. ${denied}`;
  if (kind === "request") return ok(unread);
  const refusals = await tryToExplain(target, merchant, target.metrics.count);
  if (refusals === undefined) return ok(unread);
  if ("problem" in refusals) return unknownVerdict(target, refusals.problem);
  return refusalVerdict(refusals, denied) ?? ok(`${unread} ${refusals.text}`);
}

async function verdictOn(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log" | "metrics">,
  merchant: MerchantSecrets,
  keys: StoredKeys,
): Promise<Verdict> {
  const { kind, merchantId, current } = keys;
  if (current === undefined) {
    return problem("The secret has no value.", `Set the keys: ${setCommand(target, merchantId)}`);
  }
  if (current.problem !== undefined) {
    return problem(current.problem, `Set valid keys: ${setCommand(target, merchantId)}`);
  }
  const until = await oldKeysUntil(target, keys);
  const changed = until === undefined ? "" : ` ${oldKeysText(until)}`;
  const setAt = `set at ${timeText(current.createdAtMilliseconds)}, and valid.${changed}`;
  return kind === "request"
    ? await provenVerdict(target, keys, current, setAt)
    : await callbackVerdict(target, merchant, keys, setAt);
}

/** Valid keys are wrong if the service signs with others. Only callbacks show it. */
async function callbackVerdict(
  target: Pick<Target, "stack" | "clock" | "records" | "keys" | "log" | "metrics">,
  merchant: MerchantSecrets,
  keys: StoredKeys,
  setAt: string,
): Promise<Verdict> {
  const refusals = await tryToExplain(target, merchant, target.metrics.count);
  if (refusals === undefined) return await usedVerdict(target, keys, setAt);
  if ("problem" in refusals) return unknownVerdict(target, refusals.problem);
  return (
    refusalVerdict(refusals, `The current keys were ${setAt}`) ??
    (await usedVerdict(target, keys, `${setAt} ${refusals.text}`))
  );
}

function unknownVerdict(target: Pick<Target, "stack">, found: string): Verdict {
  return warning(
    found,
    `Ask for the policy look: npx paycast policy look${stackOption(target.stack)}`,
  );
}

/** Undefined if the rejected callbacks need no action, or not yet. */
export function refusalVerdict(
  { kind, text, action = "" }: ExplainedRefusals,
  known: string,
): Verdict | undefined {
  if (kind === "all") return problem(`${text} ${known}`, action);
  return kind === "service" ? warning(text, action) : undefined;
}

/**
 * Whether the keys verify the callbacks. Wrong current keys can hide behind previous ones, or behind a version without
 * a stage.
 */
async function usedVerdict(
  target: Pick<Target, "stack" | "clock" | "records" | "keys">,
  keys: StoredKeys,
  found: string,
): Promise<Verdict> {
  const versions = [keys.current ?? [], keys.previous ?? []].flat();
  const usable = versions.filter(({ isUsable }) => isUsable);
  const use = await useOfKeys(target, keys, await readVersionUse(target, usable));
  const wrong = await warnOfUse(target, keys, use);
  if (wrong !== undefined) return warning(wrong.text, wrong.action);
  const { previous } = keys;
  if (previous?.endsAt === undefined || previous.endsAt <= target.clock.now()) return ok(found);
  const end = timeText(previous.endsAt);
  if (previous.problem !== undefined) {
    // It does not verify what the service still signs with the old keys.
    return warning(
      `The previous version is not valid: ${previous.problem}`,
      `No action is needed if the service signs with the new keys only. The previous version ends ${end}.`,
    );
  }
  const judged = judgePrevious(keys, use, target.clock.now());
  const used = judged?.kind === "in-use" ? ` ${judged.text}` : "";
  return ok(`${found} The previous version verifies until ${end}.${used}`);
}

async function provenVerdict(
  target: Pick<Target, "stack" | "clock" | "orders">,
  { merchantId }: StoredKeys,
  current: NonNullable<StoredKeys["current"]>,
  setAt: string,
): Promise<Verdict> {
  const proof = await proveKeys(target, merchantId, current);
  const found = proof === undefined ? setAt : `${setAt} They are ${proof.text}`;
  if (proof?.outcome !== "refused") return ok(found);
  const [merchant, stack] = [shellWord(merchantId), stackOption(target.stack)];
  // The interface gives codes no meaning (§7), so it is not certain that this is a problem.
  return warning(
    found,
    `Compare the fingerprints with the service's: npx paycast keys check ${merchant}${stack}. To restore the previous keys: npx paycast keys restore ${merchant} --only request${stack}`,
  );
}

/** Sets both secrets. Keys that are stored already are not stored again. */
function setCommand(target: Pick<Target, "stack">, merchantId: string): string {
  const own = isAvailable(target.stack.gateway) ? " --merchant-private-key FILE" : "";
  return `npx paycast keys set ${shellWord(merchantId)} --aes-key FILE --service-public-key FILE${own}${stackOption(target.stack)} --yes`;
}
