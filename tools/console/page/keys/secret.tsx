import type { SecretReport, VersionReport } from "../../../operations/keys/check-keys.ts";
import { Badge, type Tone } from "../parts/elements.tsx";
import { FactList, type PageFacts } from "../parts/report.tsx";

const titles: Readonly<Record<SecretReport["kind"], { title: string; purpose: string }>> = {
  callback: { title: "Callback keys", purpose: "open callbacks" },
  request: { title: "Request keys", purpose: "sign requests to the payment service" },
};

export function Secret({ secret }: { readonly secret: SecretReport }) {
  const { title, purpose } = titles[secret.kind];
  return (
    <div class="secret">
      <h3>
        {title} <span class="quiet">{purpose}</span>
      </h3>
      <Missing secret={secret} />
      {secret.versions.map((version) => (
        <Version key={version.versionId} version={version} kind={secret.kind} />
      ))}
    </div>
  );
}

function Missing({ secret: { versions, unread } }: { readonly secret: SecretReport }) {
  if (unread !== undefined) return <p class="quiet">Not looked at. {unread}</p>;
  return versions.length === 0 ? <p class="bad-text">Not set.</p> : null;
}

interface VersionProps {
  readonly version: VersionReport;
  readonly kind: SecretReport["kind"];
}

const stageTones: Readonly<Record<VersionReport["stage"], Tone>> = {
  current: "good",
  previous: "plain",
  pending: "open",
};

function Version({ version, kind }: VersionProps) {
  const { stage, problem } = version;
  return (
    <div class="version">
      <p class="line">
        <Badge tone={problem === undefined ? stageTones[stage] : "bad"}>{stage}</Badge>
        <RetirementText version={version} />
      </p>
      {problem !== undefined && <p class="bad-text">{problem}</p>}
      <FactList facts={factsOf(version, kind)} />
    </div>
  );
}

function factsOf(version: VersionReport, kind: SecretReport["kind"]): PageFacts {
  const { stage, keys, versionId, createdAt, verifiesUntil } = version;
  return [
    ["Made", { time: createdAt }],
    ["Last verified", kind === "callback" && stage !== "pending" ? lastUse(version) : undefined],
    ["Verifies until", verifiesUntil === undefined ? undefined : { time: verifiesUntil }],
    ...(keys === undefined ? [] : keyFacts(keys)),
    ["Version", { id: versionId }],
  ];
}

function lastUse({ lastUsedAt, isUseUnknown }: VersionReport) {
  if (lastUsedAt !== undefined) return { time: lastUsedAt };
  return isUseUnknown ? "not known" : "nothing in this time";
}

function keyFacts(keys: NonNullable<VersionReport["keys"]>): PageFacts {
  const { fingerprint, rsaBits, aesBits, aesFingerprint, profile } = keys;
  const isDefault = Object.keys(profile).length === 0;
  return [
    ["RSA fingerprint", { id: fingerprint }],
    ["AES fingerprint", { id: aesFingerprint }],
    ["Sizes", `RSA ${rsaBits}, AES ${aesBits} bits`],
    ["Wire profile", isDefault ? "the default" : <code>{JSON.stringify(profile)}</code>],
  ];
}

const retirements = {
  over: ["plain", "verifies no more"],
  "in-use": ["open", "still in use"],
  safe: ["good", "safe to retire"],
  unknown: ["open", "not known"],
} as const;

/** Whether the previous callback keys can go. */
function RetirementText({ version: { retirement, note } }: Pick<VersionProps, "version">) {
  if (retirement === undefined) return null;
  const [tone, title] = retirements[retirement];
  return (
    <>
      <Badge tone={tone}>{title}</Badge> <span class="quiet">{note}</span>
    </>
  );
}
