import type { Word } from "../../shared/words.ts";
import type { Counted } from "../telemetry/metric.ts";
import { isRecent, lastAt } from "./counted-times.ts";
import type { TimeText } from "./refusing.ts";

/** Something that is wrong, or was wrong in the last hour. */
export interface Warning {
  readonly message: string;
  /** A word of the message that is explained. */
  readonly word?: Word;
  /** False if ten minutes passed without it. */
  readonly isRed: boolean;
  /** Where to look: in the console, and with which command after `npx paycast`. Absent if neither can help. */
  readonly look?: { readonly to: string; readonly action: string; readonly command: string };
}

/** For whom warnings are. */
export interface Told {
  /** On the local stack nobody reads the queues, unless a developer does. */
  readonly isDeployed: boolean;
  readonly nowMilliseconds: number;
  readonly timeText: TimeText;
}

export const keysLook = { to: "/keys", action: "Look at the keys", command: "keys check" };

/** A warning of what was counted in the last hour. */
export function happened(
  message: string,
  count: Counted,
  { nowMilliseconds }: Told,
  look: NonNullable<Warning["look"]>,
): Warning {
  return { message, isRed: isRecent(count, nowMilliseconds), look };
}

/** ", the last at 02:46". */
export function lastText(count: Counted, { timeText }: Told): string {
  const at = lastAt(count);
  return at === undefined ? "" : `, the last at ${timeText(at)}`;
}
