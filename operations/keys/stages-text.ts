import { maximumAgeMilliseconds } from "../../shared/keys/key-ring.ts";
import type { StageHolders } from "./secret-calls.ts";

export function holdersText({ current, previous, pending }: StageHolders): string {
  const parts = [
    `current ${current ?? "none"}`,
    `previous ${previous ?? "none"}`,
    ...(pending === undefined ? [] : [`pending ${pending}`]),
  ];
  return `Versions now: ${parts.join(", ")}.`;
}

/** Running instances keep keys in memory, and no command reaches them. */
export function instancesText(target: "local" | "deployed"): string {
  const minutes = maximumAgeMilliseconds / 60_000;
  const atOnce =
    target === "local"
      ? "To end that at once, start npm start again."
      : "To end that at once, deploy a change of the functions, such as one of the config: it makes new instances.";
  return `Running instances use the keys they know for up to ${minutes} minutes more, and longer only while Secrets Manager cannot be reached. ${atOnce}`;
}
