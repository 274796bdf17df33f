import { useState } from "preact/hooks";
import type { LabView as Lab } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Shown } from "../parts/states.tsx";
import { usePlace } from "../router.tsx";
import { useStack } from "../stack.ts";
import { useView } from "../use-view.ts";
import { brokenThings, Things } from "./broken-things.tsx";
import { ClockCard } from "./clock-card.tsx";
import { ConsumersCard } from "./consumers-card.tsx";
import { FaultsCard } from "./faults-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { SwitchesCard } from "./switches-card.tsx";

/** What only the local stack has: make orders, and break things on purpose. */
export function LabView() {
  const lab = useView<Lab>("/api/lab");
  return (
    <>
      <h1>Lab</h1>
      <p class="lead">
        Make orders, and break things on purpose to see what Paycast does. Only the local stack has
        this.
      </p>
      <Shown view={lab} what="the lab">
        {(data) => <Benches lab={data} />}
      </Shown>
    </>
  );
}

function Benches({ lab }: { readonly lab: Lab }) {
  // An order's page links to the faults for it.
  const { order = "" } = usePlace().query;
  return (
    <>
      <PutRight things={brokenThings(lab)} />
      <div class="lab">
        <div>
          <OrderCard />
          <ConsumersCard lab={lab} />
          <SwitchesCard lab={lab} />
          <ClockCard clock={lab.clock} />
          <KeysCard />
        </div>
        <FaultsCard key={order} lab={lab} forOrder={order} />
      </div>
    </>
  );
}

function PutRight({ things }: { readonly things: readonly string[] }) {
  const isBroken = things.length > 0;
  return (
    <div class={`notice lab-state ${isBroken ? "open" : "good"}`}>
      <p role="status">
        {isBroken ? <strong>On purpose: </strong> : "Nothing is broken on purpose."}
        <Things things={things} />
      </p>
      {isBroken && (
        <ActionButton class="primary" act={() => send("/api/lab/restore")}>
          Put everything right
        </ActionButton>
      )}
    </div>
  );
}

/** New keys of the payment service, as after a rotation on its side. */
function KeysCard() {
  const { merchants } = useStack();
  const [rotated, setRotated] = useState<string>();
  const rotate = async (merchantId: string) => {
    setRotated(undefined);
    await send("/api/lab/rotate", { merchantId });
    setRotated(merchantId);
  };
  return (
    <section class="card">
      <h2>The payment service's keys</h2>
      <p class="quiet">
        Makes a new AES key and a new signing key. Paycast stores them before they are used, and the
        service still accepts requests with earlier keys.
      </p>
      <div class="buttons">
        {merchants.map((merchantId) => (
          <ActionButton key={merchantId} class="small" act={() => rotate(merchantId)}>
            Rotate the keys of {merchantId}
          </ActionButton>
        ))}
      </div>
      <p role="status">{rotated !== undefined && `New keys of ${rotated} are in use.`}</p>
    </section>
  );
}
