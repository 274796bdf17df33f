import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface DetailsProps {
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
}

/** What is shown on demand is also made on demand: a page may have hundreds of them. */
export function Details({ summary, children }: DetailsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
