import { moveStage, putVersion, type Secret } from "../../../../tools/local/aws/secret-versions.ts";
import type { Keys, Stages } from "../../../../tools/operations/ports/keys.ts";

type Version = Secret["versions"][number];

const labels = { current: "AWSCURRENT", previous: "AWSPREVIOUS", pending: "AWSPENDING" } as const;
const mark = "PAYCAST-REVOKED-";

export function versionOf(id: string, text: string, createdAtMilliseconds: number): Version {
  return {
    id,
    createdSeconds: createdAtMilliseconds / 1_000,
    stages: [],
    value: { SecretString: text },
  };
}

/** A secret with these stages. The emulator's own rules move them. */
export function memorySecret(
  versions: readonly Version[],
  stages: Stages,
  changedAtMilliseconds = 0,
): Secret {
  const staged = versions.map((version) => {
    const ofFunctions = (["current", "previous", "pending"] as const)
      .filter((stage) => stages[stage] === version.id)
      .map((stage) => labels[stage] as string);
    const marks = stages.revoked?.includes(version.id) ? [`${mark}${version.id}`] : [];
    return { ...version, stages: [...ofFunctions, ...marks] };
  });
  const changedSeconds = changedAtMilliseconds / 1_000;
  return { name: "keys", arn: "keys", createdSeconds: 0, changedSeconds, versions: staged };
}

export function stagesIn({ versions, changedSeconds }: Secret) {
  const holder = (label: string) => versions.find(({ stages }) => stages.includes(label))?.id;
  const isMarked = ({ stages }: Version) => stages.some((label) => label.startsWith(mark));
  return {
    current: holder(labels.current),
    previous: holder(labels.previous),
    pending: holder(labels.pending),
    revoked: versions.filter(isMarked).map(({ id }) => id),
    changedAtMilliseconds: changedSeconds * 1_000,
  };
}

/** The calls of Secrets Manager on such secrets, by their ids. */
export function memoryKeys(
  secrets: Readonly<Record<string, Secret>>,
  now: () => number,
  previousKeysMilliseconds: number,
): Keys {
  const secretOf = (id: string) => secrets[id]!;
  return {
    stampKey: "stamp",
    previousKeysMilliseconds,
    stateOf: () => Promise.reject(new Error("No operation on keys asks for it.")),
    stagesOf: async (secretId) => stagesIn(secretOf(secretId)),
    list: async (secretId) =>
      secretOf(secretId)
        .versions.map(({ id: versionId, createdSeconds }) => ({
          versionId,
          createdAtMilliseconds: createdSeconds * 1_000,
        }))
        .toSorted((left, right) => right.createdAtMilliseconds - left.createdAtMilliseconds),
    read: async (secretId, versionId) => {
      const version = secretOf(secretId).versions.find(({ id }) => id === versionId);
      if (version === undefined) return undefined;
      const createdAtMilliseconds = version.createdSeconds * 1_000;
      return { versionId, createdAtMilliseconds, text: version.value.SecretString };
    },
    putPending: async (secretId, versionId, SecretString) =>
      void putVersion(secretOf(secretId), versionId, { SecretString }, [labels.pending], now()),
    putCurrent: () => Promise.reject(new Error("No operation on keys puts them there.")),
    move: async (secretId, { stage, from, to }) => {
      const label = stage === "revoked" ? `${mark}${from ?? to}` : labels[stage];
      moveStage(secretOf(secretId), label, from, to, now());
    },
  };
}
