import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { statusRow } from "../../../../shared/facts/event-types.ts";
import { harmless } from "../../../../shared/text/terminal-text.ts";
import { addressOf, Link } from "../router.tsx";

interface DetailsProps {
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
}

/** Renders its content only when open: a page may have hundreds of them. */
export function Details({ summary, children }: DetailsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

export type Tone = "good" | "bad" | "open" | "plain";

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}

export function Badge({ tone = "plain", children }: BadgeProps) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Status({ status }: { readonly status: string }) {
  return <Badge tone={statusTone(status)}>{status.replace("_", " ")}</Badge>;
}

/** `refused` is Paycast's own status: the payment service rejected the order. */
export function statusTone(status: string): Tone {
  const { stage = "open", movesMoney } = statusRow(status) ?? {};
  if (status !== "refused" && stage === "open") return "open";
  return movesMoney ? "good" : "bad";
}

interface CopyProps {
  readonly text: string;
  /** Names what is copied for a screen reader: "order number". */
  readonly what: string;
}

const shownMilliseconds = 1_500;

type Copied = "Copied" | "Not copied: the browser does not allow it";

export function Copy({ text, what }: CopyProps) {
  const [outcome, setOutcome] = useState<Copied>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMilliseconds);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => void copyText(text).then(setOutcome);
  return (
    <button
      type="button"
      class="copy"
      aria-label={`Copy ${what}`}
      title={outcome ?? `Copy ${what}`}
      onClick={copy}
    >
      <CopySign outcome={outcome} />
      <span class="hidden" role="status">
        {outcome}
      </span>
    </button>
  );
}

async function copyText(text: string): Promise<Copied> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "Not copied: the browser does not allow it";
  }
}

/** Drawn, because not every font has such signs. */
function CopySign({ outcome }: { readonly outcome: Copied | undefined }) {
  const [path, tone] = copySigns[outcome ?? "none"];
  return (
    <svg class={`sign ${tone}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

const copySigns = {
  none: ["M5.5 5.5h8v8h-8zm-3 5v-8h8", ""],
  Copied: ["m3 8 3.5 3.5L13 5", "good-text"],
  "Not copied: the browser does not allow it": ["m4 4 8 8m0-8-8 8", "bad-text"],
} as const;

/** An id with a copy button. CSS truncates it if there is no room. */
export function Id({ text, what }: CopyProps) {
  return (
    <span class="id">
      <code title={text}>{text}</code>
      <Copy text={text} what={what} />
    </span>
  );
}

/** External text, such as an order number. Makes marks visible that would change its direction or hide a part. */
export function Outside({ text }: { readonly text: string }) {
  return <bdi>{harmless(text)}</bdi>;
}

interface Amount {
  readonly value: string;
  readonly currency?: string | undefined;
}

export function Money({ amount }: { readonly amount: Amount | undefined }) {
  if (amount === undefined) return <span class="quiet">–</span>;
  return (
    <span class="number">
      {amount.value}
      {amount.currency !== undefined && <span class="currency"> {amount.currency}</span>}
    </span>
  );
}

interface OrderLinkProps {
  readonly orderNo: string;
  readonly merchantId: string;
}

/** The number is isolated, so direction marks in it do not affect the text around it. */
export function OrderLink({ orderNo, merchantId }: OrderLinkProps) {
  return (
    <Link to={addressOf(["orders", orderNo], { merchant: merchantId })} class="order-link">
      <OrderNo text={orderNo} />
    </Link>
  );
}

/** Invisible characters and direction marks are shown by their code point. */
const unseen = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

export function OrderNo({ text }: { readonly text: string }) {
  const pieces = text.split(unseen);
  return (
    <bdi class="order-no">
      {pieces.map((piece, index) =>
        index % 2 === 0 ? piece : <Unseen key={index} piece={piece} />,
      )}
    </bdi>
  );
}

function Unseen({ piece }: { readonly piece: string }) {
  const code = piece.codePointAt(0) ?? 0;
  return <span class="unseen">U+{code.toString(16).toUpperCase().padStart(4, "0")}</span>;
}
