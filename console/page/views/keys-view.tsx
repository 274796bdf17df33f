import type { KeysView as Keys, MerchantKeysView } from "../../routes/key-routes.ts";
import { Commands } from "../keys/commands.tsx";
import { Secret } from "../keys/secret.tsx";
import { LookBar } from "../parts/look-bar.tsx";
import { Outside } from "../parts/outside.tsx";
import { Badge } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { useLook } from "../use-look.ts";

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
              Use was looked for in {looked.callbacks.toLocaleString("en-US")} recorded callbacks
              since <Ago at={looked.since} />.
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

function Merchant({ merchant }: { readonly merchant: MerchantKeysView }) {
  const { merchantId, secrets, problems, warnings, commands } = merchant;
  return (
    <section class="card">
      <div class="line">
        <h2>
          <Outside text={merchantId} />
        </h2>
        <Verdict merchant={merchant} />
      </div>
      {[...problems, ...warnings].length > 0 && (
        <ul class={`notice warnings ${problems.length > 0 ? "bad" : "open"}`}>
          {[...problems, ...warnings].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <div class="secrets">
        {secrets.map((secret) => (
          <Secret key={secret.kind} secret={secret} />
        ))}
      </div>
      <Commands commands={commands} />
    </section>
  );
}

function Verdict({ merchant }: { readonly merchant: MerchantKeysView }) {
  if (merchant.problems.length > 0) return <Badge tone="bad">problem</Badge>;
  if (merchant.warnings.length > 0) return <Badge tone="open">warning</Badge>;
  return <Badge tone="good">good</Badge>;
}
