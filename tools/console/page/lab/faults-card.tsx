import { useState } from "preact/hooks";
import type { ServiceFault } from "../../../operations/calling/service-control.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import type { TourView } from "../../tour/tour.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Badge } from "../parts/elements.tsx";
import { Field } from "../parts/fields.tsx";
import { describeAhead, describeService, useServiceAhead } from "../parts/time.tsx";
import { Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";

/**
 * Shown on every view: the active faults, since they explain what else the view shows. The Lab and a running scenario
 * show them themselves.
 */
export function LabBanner() {
  const [view] = usePlace().path;
  const tour = useView<TourView>(view === "tour" ? "/api/tour" : undefined);
  const { data } = useView<LabView>(view === "lab" ? undefined : "/api/lab");
  if (view === "lab" || tour.data?.isRunning) return null;
  return (
    <aside class="lab-banner" aria-label="From the Lab">
      {data !== undefined && <Strip lab={data} />}
    </aside>
  );
}

function Strip({ lab }: { readonly lab: LabView }) {
  const things = brokenThings(lab);
  const { stackAheadSeconds, service } = lab.clock;
  const stack = describeAhead(stackAheadSeconds, "real time");
  const schedule = describeService(service, useServiceAhead(service));
  const isOrdinary = things.length === 0 && stack === undefined && schedule === undefined;
  return (
    <p class={isOrdinary ? "hidden" : ""}>
      <span role="status">
        {things.length > 0 && (
          <>
            <strong>Active faults:</strong> <Things things={things} />.{" "}
          </>
        )}
      </span>
      {/* Not in the live region: a screen reader would announce it every second. */}
      {stack !== undefined && <>The stack's clock is {stack}. </>}
      {schedule !== undefined && <>The payment service {schedule}. </>}
      {!isOrdinary && <Link to="/lab">Go to the Lab</Link>}
    </p>
  );
}

export const serviceNames = { sqs: "SQS", dynamodb: "DynamoDB" } as const;

/** "on for all orders", "affects the next callback of ORDER-1" */
function describeFault({ faultGroups }: LabView, { kind, orderNo, left }: ServiceFault) {
  if (left === undefined) return `on for ${orderNo ?? "all orders"}`;
  const target = faultGroups
    .flatMap(({ kinds }) => kinds)
    .find((faultKind) => faultKind.kind === kind)?.target;
  const times = left === 1 ? "" : `, ${left} times`;
  return `affects the next ${target} of ${orderNo ?? "any order"}${times}`;
}

/** The active faults in words. The faults of many orders would fill the page, so they are counted. */
export function brokenThings(lab: LabView): string[] {
  const { breakage, faults, clock, consumers } = lab;
  const tell = (fault: ServiceFault) => `fault ${fault.kind} ${describeFault(lab, fault)}`;
  const forOne = faults.filter(({ orderNo }) => orderNo !== undefined);
  const forAll = faults.filter(({ orderNo }) => orderNo === undefined);
  return [
    ...breakage.outages.map((service) => `${serviceNames[service]} is unavailable`),
    ...breakage.brokenSubscribers.map((name) => `the queue of ${name} rejects every event`),
    ...consumers.flatMap(({ subscriber, mode, type }) => {
      if (mode !== "fails" && mode !== "fails-on-type") return [];
      return [`the consumer of ${subscriber} fails on ${type ?? "every event"}`];
    }),
    ...forAll.map(tell),
    ...(forOne.length > 2 ? [`${forOne.length} faults for individual orders`] : forOne.map(tell)),
    ...(clock.service.speed === 0 ? ["the payment service's clock is stopped"] : []),
  ];
}

/** Each is isolated: an order number may contain marks that change the direction of the following text. */
export function Things({ things }: { readonly things: readonly string[] }) {
  return (
    <>
      {things.map((thing, index) => (
        <span key={thing}>
          {index > 0 && " · "}
          <bdi>{thing}</bdi>
        </span>
      ))}
    </>
  );
}

interface FaultsCardProps {
  readonly lab: LabView;
  /** The initial order number of the field. */
  readonly forOrder: string;
}

/** The payment service's faults, as its control API describes them. */
export function FaultsCard({ lab, forOrder }: FaultsCardProps) {
  const [orderNo, setOrderNo] = useState(forOrder);
  return (
    <section class="card faults">
      <h2>Faults of the payment service</h2>
      <Field
        label="Only for this order number (empty: all orders)"
        value={orderNo}
        maxLength={64}
        placeholder="all orders"
        onText={setOrderNo}
      />
      {lab.faultGroups.map(({ title, kinds }) => (
        <section key={title}>
          <h3 class="group quiet">{title}</h3>
          <ul class="switches">
            {kinds.map(({ kind, description }) => (
              <FaultRow
                key={kind}
                lab={lab}
                kind={kind}
                description={description}
                orderNo={orderNo}
              />
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
