import type { Offer } from "../described/description.ts";
import type { MerchantReport, VersionReport } from "./check-keys.ts";

const files = { callbackKeys: "callback-keys.json", requestKeys: "request-keys.json" };

/** What can be done with a merchant's keys as they are. */
export function keyOffers({ merchantId: merchant, secrets }: MerchantReport): readonly Offer[] {
  const isSet = secrets.every(
    ({ versions, unread }) =>
      unread !== undefined || versions.some(({ stage }) => stage === "current"),
  );
  if (!isSet) return [{ purpose: "Set the keys", verb: "set", input: { merchant, ...files } }];
  const restorable = secrets.filter(({ versions }) => versions.some(isRestorable));
  const hasPrevious = secrets.some(({ versions }) =>
    versions.some(({ stage }) => stage === "previous"),
  );
  return [
    {
      purpose: "Rotate to new keys, before the service changes",
      verb: "set",
      input: { merchant, ...files },
    },
    ...restorable.map(({ kind: only }) => ({
      purpose: `Go back to the previous ${only} keys, if the current ones are wrong`,
      verb: "restore",
      input: { merchant, only },
    })),
    ...(hasPrevious
      ? [
          {
            purpose: "Remove the previous keys",
            verb: "revoke",
            input: { merchant, previous: true },
          },
        ]
      : []),
    {
      purpose: "Replace current keys that leaked",
      verb: "revoke",
      input: { merchant, current: true, ...files },
    },
  ];
}

/** The same that `keys restore` accepts: previous keys that are valid, and whose time is not over. */
function isRestorable({ stage, keys, retirement }: VersionReport): boolean {
  return stage === "previous" && keys !== undefined && retirement !== "over";
}
