import type { SecretReport, VersionReport } from "../../../operations/keys/check-keys.ts";
import { Fact, IdFact, TimeFact } from "../parts/details.tsx";
import { Badge, type Tone } from "../parts/small.tsx";

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
      <dl>
        <TimeFact name="Made" value={version.createdAt} />
        {kind === "callback" && stage !== "pending" && <LastVerified version={version} />}
        <TimeFact name="Verifies until" value={version.verifiesUntil} />
        {version.keys !== undefined && <KeyFacts keys={version.keys} />}
        <IdFact name="Version" value={version.versionId} />
      </dl>
    </div>
  );
}

function LastVerified({ version: { lastUsedAt, isUseUnknown } }: Pick<VersionProps, "version">) {
  if (lastUsedAt !== undefined) return <TimeFact name="Last verified" value={lastUsedAt} />;
  return <Fact name="Last verified">{isUseUnknown ? "not known" : "nothing in this time"}</Fact>;
}

function KeyFacts({ keys }: { readonly keys: NonNullable<VersionReport["keys"]> }) {
  const { fingerprint, rsaBits, aesBits, aesFingerprint, profile } = keys;
  const isDefault = Object.keys(profile).length === 0;
  return (
    <>
      <IdFact name="RSA fingerprint" value={fingerprint} />
      <IdFact name="AES fingerprint" value={aesFingerprint} />
      <Fact name="Sizes">
        RSA {rsaBits}, AES {aesBits} bits
      </Fact>
      <Fact name="Wire profile">
        {isDefault ? "the default" : <code>{JSON.stringify(profile)}</code>}
      </Fact>
    </>
  );
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
