import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target, TargetSubscriber } from "./target.ts";

/** Throws `not-found`, with the names that there are. */
export function findSubscriber({ subscribers }: Target, name: string): TargetSubscriber {
  const found = subscribers.find((subscriber) => subscriber.name === name);
  if (found !== undefined) return found;
  const names = subscribers.map((subscriber) => subscriber.name).join(", ");
  throw new PaycastError(
    "not-found",
    `The stack has no subscriber of that name. It has: ${names}.`,
  );
}
