import type { ComponentChildren } from "preact";
import type { FlowNumber, FlowStage } from "../../../operations/overview/flow-stages.ts";
import { durationText } from "../../../shared/counted.ts";
import { Meaning } from "../parts/meaning.tsx";
import { ShortTime } from "../parts/time.tsx";
import { Link } from "../router.tsx";
import { Chart } from "./chart.tsx";

interface FlowStageBoxProps {
  readonly stage: FlowStage;
  /** Off the main way, or beside it over the whole width. */
  readonly shape?: "branch" | "strip";
  readonly children?: ComponentChildren;
}

/** One stage of the flow. */
export function FlowStageBox({ stage, shape, children }: FlowStageBoxProps) {
  const { title, word, main, chart, more } = stage;
  const tone = main.tone === "bad" ? "bad" : "plain";
  const isTroubled = more.some(({ tone: own, value = 0 }) => own === "bad" && value > 0);
  return (
    <section class={`stage ${shape ?? ""} ${tone} ${isTroubled ? "troubled" : ""}`}>
      <h2>
        {title}
        {word && <Meaning of={word} />}
      </h2>
      <p class="stage-number">
        <Listed number={main}>
          <strong>{main.value ?? "–"}</strong> {main.label}
        </Listed>
        <Last number={main} />
      </p>
      {chart && <Chart counted={chart} unit={main.label} tone={tone} />}
      <div class="stage-more">
        {more.map((number) => (
          <StageNumber key={number.label} number={number} />
        ))}
        {children}
      </div>
    </section>
  );
}

/** A smaller number, shown only if there is something to count. */
export function StageNumber({ number }: { readonly number: FlowNumber }) {
  const { value = 0, label, word, tone } = number;
  if (value === 0) return null;
  return (
    <p class={`quiet ${tone === "plain" ? "" : `${tone}-text`}`}>
      <Listed number={number}>
        {value} {label}
      </Listed>
      {word && <Meaning of={word} />}
      <Last number={number} />
    </p>
  );
}

interface ListedProps {
  readonly number: FlowNumber;
  readonly children: ComponentChildren;
}

/** A number that opens its list, if there is one. */
function Listed({ number: { to }, children }: ListedProps) {
  return to === undefined ? children : <Link to={to}>{children}</Link>;
}

function Last({ number: { last, value = 0 } }: { readonly number: FlowNumber }) {
  if (last === undefined || value === 0) return null;
  return (
    <>
      , last <ShortTime at={last} />
    </>
  );
}

/** How long the oldest message of a queue has waited, if there is one. */
export function Oldest({ seconds }: { readonly seconds: number | undefined }) {
  return seconds === undefined ? null : <p class="quiet">oldest {durationText(seconds)}</p>;
}
