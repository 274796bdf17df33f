import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target } from "../target/target.ts";
import { describeFinding } from "./describe-finding.ts";
import { findAllQuarantined, type LookOptions, loadFindings } from "./find-quarantined.ts";
import { chooseCandidates } from "./list-quarantine.ts";
import type { Finding, QuarantinedItem } from "./quarantined-item.ts";
import type { Place } from "./scope.ts";

export type Payload =
  | { readonly form: "text"; readonly text: string }
  | { readonly form: "bytes"; readonly bytes: Uint8Array };

export interface ShownItem {
  readonly item: QuarantinedItem;
  /** The decrypted body of the callback, or the whole message if Paycast did not write it. */
  readonly payload: Payload;
  readonly eventName: string | undefined;
  readonly keyVersion: string | undefined;
  readonly traceparent: string | undefined;
  /** How often its dead letter was received. */
  readonly receiveCount: number | undefined;
}

/** Everything about one item; `id` may be the beginning of an id. Throws `not-found` or `ambiguous-id`. */
export async function showQuarantined(
  target: Target,
  id: string,
  options: LookOptions = {},
  place: Place = {},
): Promise<ShownItem> {
  const { candidates } = await findAllQuarantined(target, options, place);
  const [finding] = await loadFindings(chooseCandidates(candidates, [id]));
  if (finding === undefined) {
    throw new PaycastError("not-found", "It was processed a moment ago. Look at the list again.");
  }
  return shownItem(target, finding);
}

export function shownItem(target: Target, finding: Finding): ShownItem {
  const { message, letter } = finding;
  const callback = message?.origin === "callback" ? message : undefined;
  return {
    item: describeFinding(target, finding),
    payload: payloadOf(finding),
    eventName: callback?.eventName,
    keyVersion: callback?.keyVersion,
    traceparent: message?.traceparent,
    receiveCount: letter?.receiveCount,
  };
}

function payloadOf({ message, letter }: Finding): Payload {
  if (message === undefined) return { form: "text", text: letter?.body ?? "" };
  const { content } = message;
  return content.kind === "text"
    ? { form: "text", text: content.text }
    : { form: "bytes", bytes: content.bytes };
}
