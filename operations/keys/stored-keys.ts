import type { SecretVersion } from "../../shared/keys/merchant-keys.ts";
import type { MerchantSecrets, Target } from "../target/target.ts";
import { type Inspection, inspectKeys, type SecretKind, secretKinds } from "./inspect-keys.ts";
import { type SecretCalls, secretCalls, type VersionStage } from "./secret-calls.ts";

/** One version of a secret that has a stage. */
export interface StoredVersion extends SecretVersion {
  readonly inspection: Inspection;
}

/** A secret of a merchant, with the versions that have a stage. */
export interface StoredKeys
  extends Readonly<Partial<Record<VersionStage, StoredVersion | undefined>>> {
  readonly kind: SecretKind;
  readonly merchantId: string;
  readonly secretId: string;
}

/** The secrets of these kinds that the stack has. No other secret is read: not everybody may read both. */
export async function readMerchantKeys(
  target: Target,
  merchant: MerchantSecrets,
  kinds: readonly SecretKind[] = secretKinds,
): Promise<StoredKeys[]> {
  const calls = secretCalls(target.clients.secretsManager);
  const ids = { callback: merchant.callbackKeys, request: merchant.requestKeys };
  const { merchantId } = merchant;
  const known = kinds.flatMap((kind) => {
    const secretId = ids[kind];
    return secretId === undefined ? [] : [{ kind, merchantId, secretId }];
  });
  return await Promise.all(known.map((secret) => readStoredKeys(calls, secret)));
}

async function readStoredKeys(
  calls: SecretCalls,
  secret: Pick<StoredKeys, "kind" | "merchantId" | "secretId">,
): Promise<StoredKeys> {
  const { kind, merchantId, secretId } = secret;
  const holders = await calls.stagesOf(secretId);
  const read = async (versionId: string | undefined) => {
    const version = versionId && (await calls.read(secretId, versionId));
    return version ? { ...version, inspection: inspectKeys(kind, merchantId, version) } : undefined;
  };
  const [current, previous, pending] = await Promise.all([
    read(holders.current),
    read(holders.previous),
    // The first value of a secret keeps both stages until the command has removed one.
    read(holders.pending === holders.current ? undefined : holders.pending),
  ]);
  return { ...secret, current, previous, pending };
}

/** Until when the previous version verifies callbacks. The functions never use that of request keys. */
export function previousEndsAt(
  { kind, current }: StoredKeys,
  lifetimeMilliseconds: number,
): number | undefined {
  if (kind === "request" || current === undefined) return undefined;
  return current.createdAtMilliseconds + lifetimeMilliseconds;
}
