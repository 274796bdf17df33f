import type { StoredPayload } from "../../../operations/records/record-content.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import { Json, Verbatim } from "./json.tsx";

/** Indented, but not changed: every digit stays, since a digit may be the reason. */
export function Payload({ payload }: { readonly payload: StoredPayload }) {
  if ("base64" in payload) {
    return (
      <>
        <p class="quiet">These bytes are not text. As base64:</p>
        <Verbatim text={payload.base64} what="payload as base64" />
      </>
    );
  }
  const indented = indentJson(payload.text);
  if (indented !== undefined) return <Json value={indented} what="payload" />;
  return (
    <>
      <p class="quiet">This text is not JSON.</p>
      <Verbatim text={payload.text} what="payload" />
    </>
  );
}
