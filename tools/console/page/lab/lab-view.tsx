import { useState } from "preact/hooks";
import type { ServiceClock } from "../../../operations/calling/service-control.ts";
import type { LabView as Lab } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Shown } from "../parts/states.tsx";
import { DateTime, describeAhead, describePace, useServiceClock } from "../parts/time.tsx";
import { usePlace } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";
import { brokenThings, FaultsCard, Things } from "./broken.tsx";
import { OrderCard } from "./order-card.tsx";
import { ConsumersCard, SwitchesCard } from "./switches-card.tsx";

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

const speeds = [0, 1, 10, 60, 600, 3_600];
const steps = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
  { seconds: 604_800, name: "7 days" },
];

/** Expiry, processing and retries happen by this clock. */
function ClockCard({ clock }: { readonly clock: ServiceClock }) {
  return (
    <section class="card">
      <h2>The payment service's clock</h2>
      <Reading clock={clock} />
      <p class="quiet">
        Retries, expiry and processing follow it. Paycast's own clock is never changed.
      </p>
      <Speeds now={clock.speed} />
      <Steps />
      <fieldset class="buttons">
        <legend class="quiet">Paycast asks about overdue orders every minute of real time</legend>
        <ActionButton class="small" act={() => send("/api/lab/reconcile")}>
          Ask now
        </ActionButton>
      </fieldset>
    </section>
  );
}

function Reading({ clock }: { readonly clock: ServiceClock }) {
  const { at, aheadSeconds } = useServiceClock(clock);
  const ahead = describeAhead(aheadSeconds);
  return (
    <div class="line clock-reading">
      <span>
        <strong class="number">
          <DateTime at={at} />
        </strong>{" "}
        {ahead ?? "agrees with real time"}, {describePace(clock.speed)}
      </span>
      {ahead !== undefined && (
        <ActionButton class="small push" act={() => send("/api/lab/clock", { aheadSeconds: 0 })}>
          Back to now
        </ActionButton>
      )}
    </div>
  );
}

function Speeds({ now }: { readonly now: number }) {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Speed</legend>
      {speeds.map((speed) => (
        <ActionButton
          key={speed}
          class="small"
          isChosen={speed === now}
          act={() => send("/api/lab/clock", { speed })}
        >
          {speed === 0 ? "Stop" : `${speed} ×`}
        </ActionButton>
      ))}
    </fieldset>
  );
}

function Steps() {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Step forward</legend>
      {steps.map(({ seconds, name }) => (
        <ActionButton
          key={seconds}
          class="small"
          label={`Step forward: ${name}`}
          act={() => send("/api/lab/clock", { jumpSeconds: seconds })}
        >
          {name}
        </ActionButton>
      ))}
    </fieldset>
  );
}
