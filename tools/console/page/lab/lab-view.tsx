import type { LabView as Lab } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Shown } from "../parts/states.tsx";
import { usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";
import { ClockCard } from "./clock-card.tsx";
import { brokenThings, FaultsCard, Things } from "./faults-card.tsx";
import { KeysCard } from "./keys-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { ConsumersCard, SwitchesCard } from "./switches-card.tsx";

/** Only on the local stack: create orders and inject faults. */
export function LabView() {
  const lab = useView<Lab>("/api/lab");
  return (
    <>
      <h1>Lab</h1>
      <p class="lead">
        Create orders and inject faults to see how Paycast reacts. Only the local stack has a Lab.
      </p>
      <Shown view={lab} what="the lab">
        {(data) => <Benches lab={data} />}
      </Shown>
    </>
  );
}

function Benches({ lab }: { readonly lab: Lab }) {
  // An order's page links to its faults.
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
        {isBroken ? <strong>Active faults: </strong> : "No active faults."}
        <Things things={things} />
      </p>
      {isBroken && (
        <ActionButton class="primary" act={() => send("/api/lab/restore")}>
          Clear all faults
        </ActionButton>
      )}
    </div>
  );
}
