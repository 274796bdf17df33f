import type { LabView } from "../../../routes/lab-routes.ts";

export const serviceNames = { sqs: "SQS", dynamodb: "DynamoDB" } as const;

/** What is broken on purpose, in words. The faults of many orders would fill the page, so they are counted. */
export function brokenThings({ breakage, faults, clock }: LabView): string[] {
  const forOne = faults.filter(({ orderNo }) => orderNo !== undefined);
  const forAll = faults.filter(({ orderNo }) => orderNo === undefined);
  return [
    ...breakage.outages.map((service) => `${serviceNames[service]} is out`),
    ...breakage.brokenSubscribers.map((name) => `the queue of ${name} is broken`),
    ...forAll.map(({ kind }) => `fault ${kind} for all orders`),
    ...(forOne.length > 2
      ? [`${forOne.length} faults for single orders`]
      : forOne.map(({ kind, orderNo }) => `fault ${kind} for ${orderNo}`)),
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
