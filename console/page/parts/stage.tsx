import type { ComponentChildren } from "preact";
import type { Counted } from "../../../operations/telemetry/metric.ts";
import type { Word } from "../../../shared/words.ts";
import { Chart } from "./chart.tsx";
import { Meaning } from "./meaning.tsx";
import { duration } from "./time.tsx";

interface StageProps {
  readonly title: string;
  /** A word of the title that is explained. */
  readonly word?: Word;
  /** What was counted in the chosen range, drawn per step. */
  readonly counts?: Counted | undefined;
  /** A number of now, in place of counts. */
  readonly number?: number;
  readonly unit: string;
  /** Off the main way. */
  readonly isBranch?: boolean;
  readonly isBad?: boolean;
  readonly children?: ComponentChildren;
}

/** One stage of the flow. */
export function Stage({
  title,
  word,
  counts,
  number,
  unit,
  isBranch,
  isBad,
  children,
}: StageProps) {
  const value = number ?? counts?.total;
  // A zero is good news.
  const tone = isBad && value !== undefined && value > 0 ? "bad" : "plain";
  const look = `${isBranch ? "branch" : ""} ${tone}`;
  return (
    <section class={`stage ${look}`}>
      <h2>
        {title}
        {word && <Meaning of={word} />}
      </h2>
      <p class="stage-number">
        <strong>{value ?? "–"}</strong> {unit}
      </p>
      {counts && <Chart counted={counts} unit={unit} tone={tone} />}
      {children}
    </section>
  );
}

interface StageNumberProps {
  readonly value: number | undefined;
  readonly label: string;
  readonly tone?: "plain" | "open" | "bad";
}

/** A smaller number, shown only if there is something to count. */
export function StageNumber({ value = 0, label, tone = "plain" }: StageNumberProps) {
  if (value === 0) return null;
  return (
    <p class={`quiet ${tone === "plain" ? "" : `${tone}-text`}`}>
      {value} {label}
    </p>
  );
}

/** How long the oldest message of a queue has waited, if there is one. */
export function Oldest({ seconds }: { readonly seconds: number | undefined }) {
  return seconds === undefined ? null : <p class="quiet">oldest {duration(seconds)}</p>;
}
