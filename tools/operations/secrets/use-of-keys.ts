import type { Target } from "../ports/target.ts";
import { countFor, type VersionUse } from "../records/version-use.ts";
import type { GoodKeys } from "./inspect-keys.ts";
import { isSameValue } from "./key-doubts.ts";
import { readVersion, type StoredKeys } from "./stored-keys.ts";

interface Version {
  readonly versionId: string;
  readonly keys?: GoodKeys | undefined;
}

/**
 * Which keys verified the callbacks, whatever the version was called: the same keys may have been stored again. What a
 * version verified counts for the first of these that holds the same keys under the same profile, and verifies the same
 * callbacks.
 */
export async function useOfKeys(
  target: Pick<Target, "keys">,
  stored: StoredKeys,
  use: VersionUse,
  versions: readonly (Version | undefined)[] = [stored.current, stored.previous],
): Promise<VersionUse> {
  const known = versions.filter((version) => version !== undefined);
  const same = new Map<string, string>();
  for (const versionId of usedBy(stored.merchantId, use)) {
    const version =
      known.find((candidate) => candidate.versionId === versionId) ??
      (await readVersion(target, stored, versionId));
    const first = known.find(({ keys }) => version?.keys && isSameValue(keys, version.keys));
    if (first !== undefined) same.set(versionId, first.versionId);
  }
  return countFor(same, use);
}

function usedBy(merchantId: string, { merchantOf }: VersionUse): readonly string[] {
  const ofMerchant = [...merchantOf].filter(([, id]) => id === merchantId);
  return ofMerchant.map(([versionId]) => versionId);
}
