import type { KeysView as Keys, MerchantKeysView } from "../../routes/key-routes.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Badge, Copy, Outside } from "../parts/elements.tsx";
import { Empty, LookBar, Shown } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { useLook, useStack } from "../use-view.ts";
import { Secret } from "./secret.tsx";

/** Each merchant's keys: which versions there are, which one verifies, what can go. Never a key itself. */
export function KeysView() {
  const view = useLook<Keys>("/api/keys", "/api/keys/look");
  return (
    <>
      <h1>Keys</h1>
      <p class="lead">Which versions open callbacks and sign requests. No key is shown here.</p>
      <Shown view={view} what="the keys">
        {({ merchants, looked }) => (
          <>
            <LookBar view={view}>
              <LookedFor looked={looked} />
            </LookBar>
            {merchants.length === 0 && <Empty title="The stack has no merchants." />}
            {merchants.map((merchant) => (
              <Merchant key={merchant.merchantId} merchant={merchant} />
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

function LookedFor({ looked: { callbacks, since, problem } }: Pick<Keys, "looked">) {
  if (problem !== undefined) return <>When the keys were used is not known. {problem}</>;
  return (
    <>
      Use was looked for in {callbacks.toLocaleString("en-US")} recorded callbacks since{" "}
      <Ago at={since} />.
    </>
  );
}

interface OfMerchant {
  readonly merchant: MerchantKeysView;
}

function Merchant({ merchant }: OfMerchant) {
  const { merchantId, secrets, problems, warnings, proof } = merchant;
  const doubt = proof?.outcome === "refused" ? [`The request keys are ${proof.text}`] : [];
  const told = [...problems, ...warnings, ...doubt];
  return (
    <section class="card">
      <div class="line">
        <h2>
          <Outside text={merchantId} />
        </h2>
        <KeysBadge merchant={merchant} />
      </div>
      {told.length > 0 && (
        <ul class={`notice warnings ${problems.length > 0 ? "bad" : "open"}`}>
          {told.map((text) => (
            <li key={text}>
              <Outside text={text} />
            </li>
          ))}
        </ul>
      )}
      <div class="secrets">
        {secrets.map((secret) => (
          <Secret key={secret.kind} secret={secret} />
        ))}
      </div>
      {proof !== undefined && doubt.length === 0 && <p>The request keys are {proof.text}</p>}
      <Restore merchant={merchant} />
      <Commands merchant={merchant} />
    </section>
  );
}

/** It needs no files, so it can be done here. */
function Restore({ merchant: { merchantId, restorable } }: OfMerchant) {
  if (useStack().kind === "deployed" || restorable.length === 0) return null;
  return (
    <div class="line">
      <span class="quiet">If the current keys are wrong:</span>
      {restorable.map((kind) => (
        <ChangeButton
          key={kind}
          label={`Go back to the previous ${kind} keys`}
          path="/api/keys/restore"
          input={() => ({ merchant: merchantId, only: kind })}
        />
      ))}
    </div>
  );
}

function KeysBadge({ merchant }: OfMerchant) {
  if (merchant.problems.length > 0) return <Badge tone="bad">problem</Badge>;
  const isDoubtful = merchant.warnings.length > 0 || merchant.proof?.outcome === "refused";
  if (isDoubtful) return <Badge tone="open">warning</Badge>;
  return <Badge tone="good">good</Badge>;
}

/** Keys come from files that only the operator has, so the command changes them. */
function Commands({ merchant: { commands } }: OfMerchant) {
  return (
    <div class="commands">
      <h3>Change them</h3>
      <p class="quiet">
        With the command, since keys come from files. Each shows first what it would do; add{" "}
        <code>--yes</code> to do it.
      </p>
      <ul class="command-list">
        {commands.map(({ purpose, command }) => (
          <li key={command}>
            <span class="quiet">{purpose}</span>
            <span class="command">
              <code>{command}</code>
              <Copy text={command} what={`command: ${purpose}`} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
