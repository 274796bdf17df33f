import type { SecretReport, VersionReport } from "../../../operations/keys/check-keys.ts";
import { Badge, Id, type Tone } from "../parts/small.tsx";
import { Ago } from "../parts/time.tsx";

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
      {secret.versions.length === 0 && <p class="bad-text">Not set.</p>}
      {secret.versions.map((version) => (
        <Version key={version.versionId} version={version} kind={secret.kind} />
      ))}
    </div>
  );
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
  const { stage, versionId, createdAt, keys, problem, verifiesUntil } = version;
  return (
    <div class="version">
      <p class="line">
        <Badge tone={problem === undefined ? stageTones[stage] : "bad"}>{stage}</Badge>
        <RetirementText version={version} />
      </p>
      {problem !== undefined && <p class="bad-text">{problem}</p>}
      <dl>
        <dt>Made</dt>
        <dd>
          <Ago at={createdAt} />
        </dd>
        {kind === "callback" && stage !== "pending" && <LastVerified version={version} />}
        {verifiesUntil !== undefined && (
          <>
            <dt>Verifies until</dt>
            <dd>
              <Ago at={verifiesUntil} />
            </dd>
          </>
        )}
        {keys !== undefined && (
          <>
            <dt>Fingerprint</dt>
            <dd>
              <Id text={keys.fingerprint} what="fingerprint" />
            </dd>
            <dt>Sizes</dt>
            <dd>
              RSA {keys.rsaBits}, AES {keys.aesBits} bits
            </dd>
            <dt>Wire profile</dt>
            <dd>
              {Object.keys(keys.profile).length === 0 ? (
                "the default"
              ) : (
                <code>{JSON.stringify(keys.profile)}</code>
              )}
            </dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          <Id text={versionId} what="version id" />
        </dd>
      </dl>
    </div>
  );
}

function LastVerified({ version: { lastUsedAt } }: Pick<VersionProps, "version">) {
  return (
    <>
      <dt>Last verified</dt>
      <dd>{lastUsedAt === undefined ? "nothing in this time" : <Ago at={lastUsedAt} />}</dd>
    </>
  );
}

const retirements = {
  over: ["plain", "verifies no more", "Its time is over. It can go."],
  "in-use": ["open", "still in use", "The service still signs with it. Do not take it out."],
  safe: ["good", "safe to retire", "Every callback of this time was verified by the current keys."],
  unknown: ["open", "not known", "No callback came in this time. Wait for one, then look again."],
} as const;

/** Whether the previous callback keys can go, in plain words. */
function RetirementText({ version: { retirement } }: Pick<VersionProps, "version">) {
  if (retirement === undefined) return null;
  const [tone, title, why] = retirements[retirement];
  return (
    <>
      <Badge tone={tone}>{title}</Badge> <span class="quiet">{why}</span>
    </>
  );
}
