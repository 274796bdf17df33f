import { useState } from "preact/hooks";
import type { ServiceFault } from "../../../operations/calling/service-control.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Field } from "../parts/fields.tsx";
import { Badge } from "../parts/small.tsx";
import { describeFault } from "./lab-banner.tsx";

interface FaultsCardProps {
  readonly lab: LabView;
  /** The number that is in the field at first. */
  readonly forOrder: string;
}

/** The faults of the payment service, in its own words. */
export function FaultsCard({ lab, forOrder }: FaultsCardProps) {
  const [orderNo, setOrderNo] = useState(forOrder);
  return (
    <section class="card faults">
      <h2>Faults of the payment service</h2>
      <Field
        label="Only for this order number; empty means all orders"
        {...{ value: orderNo, maxLength: 64, placeholder: "all orders", onText: setOrderNo }}
      />
      {lab.faultGroups.map(({ title, kinds }) => (
        <section key={title}>
          <h3 class="group quiet">{title}</h3>
          <ul class="switches">
            {kinds.map(({ kind, description }) => (
              <FaultRow key={kind} {...{ lab, kind, description, orderNo }} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

interface FaultRowProps {
  readonly lab: LabView;
  readonly kind: string;
  readonly description: string;
  /** Empty for all orders. */
  readonly orderNo: string;
}

function FaultRow({ lab, kind, description, orderNo }: FaultRowProps) {
  const on = lab.faults.filter((fault) => fault.kind === kind);
  const turnOn = (times?: number) =>
    send("/api/lab/faults", { kind, times, ...(orderNo !== "" && { orderNo }) });
  const meant = on.filter((fault) => orderNo === "" || fault.orderNo === orderNo);
  return (
    <li>
      <div>
        <h4>
          <code>{kind}</code>{" "}
          {on.map((fault) => (
            <Badge key={fault.id} tone="open">
              <bdi>{describeFault(lab, fault)}</bdi>
            </Badge>
          ))}
        </h4>
        <p class="quiet">{description}</p>
      </div>
      <div class="buttons">
        <ActionButton class="small" label={`${kind}: once`} act={() => turnOn(1)}>
          Once
        </ActionButton>
        <ActionButton class="small" label={`${kind}: always`} act={() => turnOn()}>
          Always
        </ActionButton>
        {meant.length > 0 && (
          <ActionButton class="small" label={`${kind}: off`} act={() => turnOff(meant)}>
            Off
          </ActionButton>
        )}
      </div>
    </li>
  );
}

async function turnOff(faults: readonly ServiceFault[]): Promise<void> {
  for (const { id } of faults) await send("/api/lab/faults/off", { id });
}
