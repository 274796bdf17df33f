import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Id, Outside } from "./small.tsx";
import { Ago } from "./time.tsx";

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

interface FactProps {
  readonly name: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One line of a description list. */
export function Fact({ name, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

interface ValueProps {
  readonly name: string;
  /** Without a value there is no line. */
  readonly value: string | undefined;
}

export function TextFact({ name, value }: ValueProps) {
  if (value === undefined) return null;
  return (
    <Fact name={name}>
      <Outside text={value} />
    </Fact>
  );
}

export function TimeFact({ name, value }: ValueProps) {
  if (value === undefined) return null;
  return (
    <Fact name={name}>
      <Ago at={value} />
    </Fact>
  );
}

export function IdFact({ name, value }: ValueProps) {
  if (value === undefined) return null;
  return (
    <Fact name={name}>
      <Id text={value} what={name.toLowerCase()} />
    </Fact>
  );
}
