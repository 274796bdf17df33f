import type { ServiceFault } from "../../../operations/calling/service-control.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import type { TourView } from "../../tour/tour.ts";
import { describeClock, useServiceClock } from "../parts/time.tsx";
import { Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";

/** On every view: what is broken on purpose, since it explains what else is seen. The Lab says it itself. */
export function LabBanner() {
  switch (usePlace().path[0]) {
    case "lab":
      return null;
    case "tour":
      return <UnlessPlaying />;
    default:
      return <Banner />;
  }
}

/** While a scenario is played, its steps say what it breaks. */
function UnlessPlaying() {
  const { data } = useView<TourView>("/api/tour");
  return data?.isRunning ? null : <Banner />;
}

function Banner() {
  const { data } = useView<LabView>("/api/lab");
  return (
    <aside class="lab-banner" aria-label="From the Lab">
      {data !== undefined && <Strip lab={data} />}
    </aside>
  );
}

function Strip({ lab }: { readonly lab: LabView }) {
  const things = brokenThings(lab);
  const clock = describeClock(lab.clock, useServiceClock(lab.clock).aheadSeconds);
  const isOrdinary = things.length === 0 && clock === undefined;
  return (
    <p class={isOrdinary ? "hidden" : ""}>
      <span role="status">
        {things.length > 0 && (
          <>
            <strong>On purpose:</strong> <Things things={things} />.{" "}
          </>
        )}
      </span>
      {/* Not in the live region: a screen reader would read every second. */}
      {clock !== undefined && <>The payment service's clock {clock}. </>}
      {!isOrdinary && <Link to="/lab">Go to the Lab</Link>}
    </p>
  );
}

export const serviceNames = { sqs: "SQS", dynamodb: "DynamoDB" } as const;

/** "on for all orders", "will hit the next callback of ORDER-1" */
export function describeFault({ faultGroups }: LabView, { kind, orderNo, left }: ServiceFault) {
  if (left === undefined) return `on for ${orderNo ?? "all orders"}`;
  const target = faultGroups.flatMap(({ kinds }) => kinds).find((one) => one.kind === kind)?.target;
  const next = left === 1 ? target : `${left} times a ${target}`;
  return `will hit the next ${next} of ${orderNo ?? "any order"}`;
}

/** What is broken on purpose, in words. The faults of many orders would fill the page, so they are counted. */
export function brokenThings(lab: LabView): string[] {
  const { breakage, faults, clock, consumers } = lab;
  const tell = (fault: ServiceFault) => `fault ${fault.kind} ${describeFault(lab, fault)}`;
  const forOne = faults.filter(({ orderNo }) => orderNo !== undefined);
  const forAll = faults.filter(({ orderNo }) => orderNo === undefined);
  return [
    ...breakage.outages.map((service) => `${serviceNames[service]} is out`),
    ...breakage.brokenSubscribers.map((name) => `the queue of ${name} is broken`),
    ...consumers.flatMap(({ subscriber, mode, type }) => {
      if (mode !== "fails" && mode !== "fails-on-type") return [];
      return [`the consumer of ${subscriber} fails on ${type ?? "every event"}`];
    }),
    ...forAll.map(tell),
    ...(forOne.length > 2 ? [`${forOne.length} faults for single orders`] : forOne.map(tell)),
    ...(clock.speed === 0 ? ["the payment service's clock stands still"] : []),
  ];
}

/** Each is isolated: an order number may hold marks that turn the direction of what follows. */
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
