import type { LabView as Lab } from "../../../routes/lab-routes.ts";
import type { StackView } from "../../../routes/stack-routes.ts";
import { send } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Shown } from "../../parts/states.tsx";
import { useView } from "../../use-view.ts";
import type { ViewProps } from "../page-views.tsx";
import { brokenThings } from "./broken-things.ts";
import { ClockCard } from "./clock-card.tsx";
import { FaultsCard } from "./faults-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { SwitchesCard } from "./switches-card.tsx";

/** What only the local stack has: make orders, and break things on purpose. */
export function LabView({ stack }: ViewProps) {
  const lab = useView<Lab>("/api/lab");
  return (
    <>
      <h1>Lab</h1>
      <p class="lead">
        Make orders, and break things on purpose to see what Paycast does. Only the local stack has
        this.
      </p>
      <Shown view={lab} what="the lab">
        {(data) => <Benches lab={data} stack={stack} />}
      </Shown>
    </>
  );
}

function Benches({ lab, stack }: { readonly lab: Lab; readonly stack: StackView }) {
  return (
    <>
      <PutRight isBroken={brokenThings(lab).length > 0} />
      <div class="lab">
        <div>
          <OrderCard stack={stack} />
          <SwitchesCard breakage={lab.breakage} subscribers={stack.subscribers} />
          <ClockCard clock={lab.clock} />
        </div>
        <FaultsCard faults={lab.faults} groups={lab.faultGroups} />
      </div>
    </>
  );
}

function PutRight({ isBroken }: { readonly isBroken: boolean }) {
  return (
    <div class={`notice lab-state ${isBroken ? "open" : "good"}`}>
      <p>{isBroken ? "Something is broken on purpose." : "Nothing is broken on purpose."}</p>
      {isBroken && (
        <ActionButton class="primary" act={() => send("/api/lab/restore")}>
          Put everything right
        </ActionButton>
      )}
    </div>
  );
}
