import {
  readCallbackKeys,
  readRequestKeys,
  type SecretVersion,
} from "../../shared/keys/merchant-keys.ts";
import { createSecretReader } from "../../shared/keys/read-secret.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

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
      if (current === undefined) return [unset(secretId, "servicePublicKey")];
      const endsAt = current.createdAtMilliseconds + target.previousKeysMilliseconds;
      const inUse = endsAt > now() ? previous : undefined;
      const faults = [
        ...faultsOf(current, readCallbackKeys, secretId),
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
    run: async (target) => {
      const current = await readerOf(target)(secretId, "AWSCURRENT");
      if (current === undefined) return [unset(secretId, "merchantPrivateKey")];
      return faultsOr(faultsOf(current, readRequestKeys, secretId), setAt(current));
    },
  };
}

function readerOf({ clients }: Target) {
  const read = createSecretReader(clients.secretsManager);
  return async (secretId: string, stage: "AWSCURRENT" | "AWSPREVIOUS") =>
    await read(secretId, stage, new AbortController().signal);
}

function unset(secretId: string, rsaField: string): Verdict {
  return problem(
    "The secret has no value.",
    `Put { "aesKey", "${rsaField}" } into the secret ${secretId}.`,
  );
}

function faultsOf(secret: SecretVersion, parse: Parse, secretId: string): readonly Verdict[] {
  const fault = faultOf(secret, parse);
  if (fault === undefined) return [];
  return [problem(fault, `Put a version with valid keys into the secret ${secretId}.`)];
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
