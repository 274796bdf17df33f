import type { StoredPayload } from "../../../operations/timeline/record-content.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import { Json } from "./small.tsx";

/** Indented, but not changed: every digit stays, since a digit may be the reason. */
export function Payload({ payload }: { readonly payload: StoredPayload }) {
  if ("base64" in payload) {
    return (
      <>
        <p class="quiet">These bytes are not text. As base64:</p>
        <Json value={payload.base64} what="payload as base64" />
      </>
    );
  }
  const indented = indentJson(payload.text);
  return (
    <>
      {indented === undefined && <p class="quiet">This text is not JSON.</p>}
      <Json value={indented ?? payload.text} what="payload" />
    </>
  );
}
