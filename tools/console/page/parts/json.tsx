import type { ComponentChildren } from "preact";
import { indentJson } from "../../../../shared/json/indent-json.ts";
import type { StoredPayload } from "../../../operations/records/read-records.ts";
import { Copy } from "./elements.tsx";

interface JsonProps {
  /** A value, or JSON text that must stay unchanged. */
  readonly value: unknown;
  /** Names what is copied for a screen reader: "event". */
  readonly what: string;
}

/** Formatted JSON with syntax colours. It is inserted as text nodes, so markup in it stays text. */
export function Json({ value, what }: JsonProps) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <Verbatim text={text} what={what}>
      {text.length > mostColoured ? text : coloured(text)}
    </Verbatim>
  );
}

interface VerbatimProps {
  readonly text: string;
  readonly what: string;
  readonly children?: ComponentChildren;
}

/** A block of text with a copy button. */
function Verbatim({ text, what, children = text }: VerbatimProps) {
  return (
    <div class="json">
      <Copy text={text} what={what} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard. */}
      <pre tabIndex={0}>{children}</pre>
    </div>
  );
}

/** A browser is slow with a hundred thousand coloured spans. */
const mostColoured = 50_000;

/** A key or a string; a number, true, false or null. */
const parts = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g;

function coloured(text: string): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: part, 1: quoted, 2: colon, index } of text.matchAll(parts)) {
    const look = quoted === undefined ? "value" : colon === undefined ? "text" : "name";
    const shown = quoted ?? part;
    found.push(text.slice(end, index), <span class={`json-${look}`}>{shown}</span>);
    end = index + shown.length;
  }
  return [...found, text.slice(end)];
}

/** Indented but otherwise unchanged: a single digit may be the reason for a rejection. */
export function Payload({ payload }: { readonly payload: StoredPayload }) {
  if ("base64" in payload) {
    return (
      <>
        <p class="quiet">The payload is not text. Base64:</p>
        <Verbatim text={payload.base64} what="payload as base64" />
      </>
    );
  }
  const indented = indentJson(payload.text);
  if (indented !== undefined) return <Json value={indented} what="payload" />;
  return (
    <>
      <p class="quiet">The payload is not JSON.</p>
      <Verbatim text={payload.text} what="payload" />
    </>
  );
}
