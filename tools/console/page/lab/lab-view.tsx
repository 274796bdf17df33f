import { useState } from "preact/hooks";
import type { LabView as Lab } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Shown } from "../parts/states.tsx";
import {
  DateTime,
  describeAhead,
  describeService,
  useNow,
  useServiceAhead,
} from "../parts/time.tsx";
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
const jumps = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
  { seconds: 604_800, name: "7 days" },
];

interface ClockProps {
  readonly clock: Lab["clock"];
}

function ClockCard({ clock }: ClockProps) {
  return (
    <section class="card">
      <h2>The clock</h2>
      <StackTime clock={clock} />
      <p class="quiet">
        A jump moves the whole stack forward: functions, queues, schedules and the payment service.
        What is due on the way happens. It cannot be undone.
      </p>
      <Jumps />
      <Speeds clock={clock} />
      <fieldset class="buttons">
        <legend class="quiet">Paycast asks about overdue orders every minute</legend>
        <ActionButton class="small" act={() => send("/api/lab/reconcile")}>
          Ask now
        </ActionButton>
      </fieldset>
    </section>
  );
}

function StackTime({ clock }: ClockProps) {
  return (
    <p class="clock-reading">
      <strong class="number">
        <DateTime at={new Date(useNow()).toISOString()} />
      </strong>{" "}
      {describeAhead(clock.stackAheadSeconds, "real time") ?? "agrees with real time"}
    </p>
  );
}

/** Expiry, processing and retries of the payment service follow a schedule that can run faster than the stack. */
function Speeds({ clock: { service } }: ClockProps) {
  const aheadSeconds = useServiceAhead(service);
  return (
    <fieldset class="buttons">
      <legend class="quiet">
        The payment service {describeService(service, aheadSeconds) ?? "agrees with the stack"}
      </legend>
      {speeds.map((speed) => (
        <ActionButton
          key={speed}
          class="small"
          isChosen={speed === service.speed}
          act={() => send("/api/lab/clock", { speed })}
        >
          {speed === 0 ? "Stop" : `${speed} ×`}
        </ActionButton>
      ))}
      {Math.abs(aheadSeconds) >= 1 && (
        <ActionButton class="small" act={() => send("/api/lab/clock", { aheadSeconds: 0 })}>
          Back to the stack's time
        </ActionButton>
      )}
    </fieldset>
  );
}

function Jumps() {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Jump forward</legend>
      {jumps.map(({ seconds, name }) => (
        <ActionButton
          key={seconds}
          class="small"
          label={`Jump forward: ${name}`}
          act={() => send("/api/lab/jump", { seconds })}
        >
          {name}
        </ActionButton>
      ))}
    </fieldset>
  );
}
