import {
  readCallbackKeys,
  readRequestKeys,
  type SecretVersion,
} from "../../shared/keys/merchant-keys.ts";
import { createSecretReader } from "../../shared/keys/read-secret.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { proveKeys } from "../keys/prove-keys.ts";
import { explainAwsError } from "../target/explain-aws-error.ts";
import { stackOption, type Target } from "../target/target.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";

type Parse = (secret: SecretVersion) => unknown;

/** Both secrets of each merchant: set, and readable by the functions. */
export function keyChecks({ merchants }: Target): readonly Check[] {
  return merchants.flatMap(({ merchantId, callbackKeys, requestKeys }) => [
    callbackKeysCheck(merchantId, callbackKeys),
    ...(requestKeys === undefined ? [] : [requestKeysCheck(merchantId, requestKeys)]),
  ]);
}

function callbackKeysCheck(merchantId: string, secretId: string): Check {
  return {
    name: `callback keys of ${merchantId}`,
    run: async (target, { now }) => {
      const read = readerOf(target);
      const [current, previous] = await Promise.all([
        read(secretId, "AWSCURRENT"),
        read(secretId, "AWSPREVIOUS"),
      ]);
      if (current === undefined) return [unset(target, merchantId)];
      const endsAt = current.createdAtMilliseconds + target.previousKeysMilliseconds;
      const inUse = endsAt > now() ? previous : undefined;
      const faults = [
        ...faultsOf(current, readCallbackKeys, target, merchantId),
        ...previousFaults(inUse, endsAt),
      ];
      const until = inUse && `; the previous version verifies until ${timeOf(endsAt)}`;
      return faultsOr(faults, `${setAt(current)}${until ?? ""}`);
    },
  };
}

function requestKeysCheck(merchantId: string, secretId: string): Check {
  return {
    name: `request keys of ${merchantId}`,
    run: async (target) => await orNotLookedAt(findRequestKeys(target, merchantId, secretId)),
  };
}

async function findRequestKeys(
  target: Target,
  merchantId: string,
  secretId: string,
): Promise<readonly Verdict[]> {
  const current = await readerOf(target)(secretId, "AWSCURRENT");
  if (current === undefined) return [unset(target, merchantId)];
  const faults = faultsOf(current, readRequestKeys, target, merchantId);
  if (faults.length > 0) return faults;
  const proof = await proveKeys(target, merchantId, current);
  const found = proof === undefined ? setAt(current) : `${setAt(current)}; ${proof.text}`;
  return [proof?.outcome === "refused" ? refused(found, target, merchantId) : ok(found)];
}

/** Not everybody who looks may see the key that signs orders, so that is no fault of the deployment. */
async function orNotLookedAt(looking: Promise<readonly Verdict[]>): Promise<readonly Verdict[]> {
  return await looking.catch((error: unknown) => {
    const explained = explainAwsError(error);
    if (explained?.code !== "aws-denied") throw error;
    return [ok(`not looked at. ${explained.message}`)];
  });
}

/** A code has no known meaning (§7), so this is no problem for sure. */
function refused(message: string, target: Target, merchantId: string): Verdict {
  const [merchant, stack] = [shellWord(merchantId), stackOption(target)];
  return warning(
    message,
    `Compare the fingerprints with the service's: npx paycast keys check ${merchant}${stack}. The keys of before: npx paycast keys restore ${merchant} --only request${stack}`,
  );
}

function readerOf({ clients }: Target) {
  const read = createSecretReader(clients.secretsManager);
  return async (secretId: string, stage: "AWSCURRENT" | "AWSPREVIOUS") =>
    await read(secretId, stage, new AbortController().signal);
}

function unset(target: Target, merchantId: string): Verdict {
  return problem("The secret has no value.", `Set the keys: ${setCommand(target, merchantId)}`);
}

/** Sets both secrets; of keys that are there already nothing is stored. */
function setCommand(target: Target, merchantId: string): string {
  const own = target.gateway === undefined ? "" : " --merchant-private-key FILE";
  return `npx paycast keys set ${shellWord(merchantId)} --aes-key FILE --service-public-key FILE${own}${stackOption(target)} --yes`;
}

function faultsOf(
  secret: SecretVersion,
  parse: Parse,
  target: Target,
  merchantId: string,
): readonly Verdict[] {
  const fault = faultOf(secret, parse);
  if (fault === undefined) return [];
  return [problem(fault, `Set valid keys: ${setCommand(target, merchantId)}`)];
}

/** A previous version that cannot be read refuses what the service still signs with the old keys. */
function previousFaults(previous: SecretVersion | undefined, endsAt: number): readonly Verdict[] {
  const fault = previous && faultOf(previous, readCallbackKeys);
  if (fault === undefined) return [];
  const message = `The previous version is not valid: ${fault}`;
  return [
    warning(
      message,
      `Nothing, if the service signs with the new keys only; it ends ${timeOf(endsAt)}.`,
    ),
  ];
}

/** Why the functions cannot use a version. The message names the field, never its value. */
function faultOf(secret: SecretVersion, parse: Parse): string | undefined {
  try {
    parse(secret);
    return undefined;
  } catch (error) {
    if (error instanceof PaycastError) return error.message;
    throw error;
  }
}

function setAt({ createdAtMilliseconds }: SecretVersion): string {
  return `set at ${timeOf(createdAtMilliseconds)}, and valid`;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
