import { useState } from "preact/hooks";
import type { Counted } from "../../../operations/ports/metrics.ts";
import { dayText, minuteText } from "../parts/time.tsx";

interface ChartProps {
  readonly counted: Counted;
  /** What is counted, such as "accepted". */
  readonly unit: string;
  readonly tone?: "plain" | "bad";
  /** Formats a value before its unit. Default: the number. */
  readonly valueText?: (value: number) => string;
  /** Default: the total. */
  readonly label?: string;
}

/** One bar per step. The step under the pointer, or selected with the arrow keys, shows its time and value. */
export function Chart(props: ChartProps) {
  const { counted, unit, tone = "plain", valueText = String } = props;
  const { perStep, total } = counted;
  const { label = `${total} ${unit}` } = props;
  const [chosen, setChosen] = useState<number>();
  const last = perStep.length - 1;
  const step = Math.min(chosen ?? last, last);
  const text = `${stepText(counted, step)}: ${valueText(perStep[step] ?? 0)} ${unit}`;
  const point = ({ currentTarget, offsetX }: PointerEvent & { currentTarget: HTMLElement }) =>
    setChosen(within(Math.floor((offsetX / currentTarget.clientWidth) * perStep.length), last));
  const move = (event: KeyboardEvent) => {
    const next = moves[event.key]?.(step, last);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(within(next, last));
  };
  return (
    <div class={`chart ${tone}`}>
      {chosen !== undefined && (
        <span class={`chart-value ${step > last / 2 ? "right" : ""}`}>{text}</span>
      )}
      <div
        class="chart-bars"
        role="slider"
        tabIndex={0}
        aria-readonly
        aria-label={`${label}, value per step`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={step}
        aria-valuetext={text}
        onPointerMove={point}
        onPointerLeave={() => setChosen(undefined)}
        onFocus={() => setChosen(step)}
        onBlur={() => setChosen(undefined)}
        onKeyDown={move}
      >
        <Bars counts={perStep} chosen={chosen === undefined ? undefined : step} />
      </div>
      <Axis counted={counted} most={valueText(Math.max(...perStep))} />
    </div>
  );
}

const moves: Readonly<Record<string, (step: number, last: number) => number>> = {
  ArrowLeft: (step) => step - 1,
  ArrowDown: (step) => step - 1,
  ArrowRight: (step) => step + 1,
  ArrowUp: (step) => step + 1,
  Home: () => 0,
  End: (_step, last) => last,
};

function within(step: number, last: number): number {
  return Math.max(0, Math.min(step, last));
}

const height = 40;

interface BarsProps {
  readonly counts: readonly number[];
  readonly chosen: number | undefined;
}

/** An empty step keeps a thin bar, so the time axis stays visible. */
function Bars({ counts, chosen }: BarsProps) {
  const most = Math.max(1, ...counts);
  return (
    <svg
      viewBox={`0 0 ${counts.length * 3} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, step) => {
        const bar = count === 0 ? 1 : Math.max(3, (count / most) * height);
        return (
          <rect
            key={step}
            class={step === chosen ? "chosen" : undefined}
            x={step * 3}
            y={height - bar}
            width={2}
            height={bar}
          />
        );
      })}
    </svg>
  );
}

/** The maximum, and the start and end of the range. */
function Axis({ counted, most }: { readonly counted: Counted; readonly most: string }) {
  return (
    <p class="chart-axis" aria-hidden="true">
      <span>{timeOf(counted, 0)} UTC</span>
      <span>max {most}</span>
      <span>now</span>
    </p>
  );
}

/** "10:13", or "10:00 to 10:15" if a step is longer than a minute. */
function stepText(counted: Counted, step: number): string {
  const start = timeOf(counted, step);
  const end = counted.stepMinutes === 1 ? "" : ` to ${minuteText(timeAt(counted, step + 1))}`;
  return `${start}${end} UTC`;
}

/** "10:13", and in a longer range "9 Nov, 10:13". */
function timeOf(counted: Counted, step: number): string {
  const time = timeAt(counted, step);
  const clock = minuteText(time);
  return counted.stepMinutes === 1 ? clock : `${dayText(time)}, ${clock}`;
}

function timeAt({ since, stepMinutes }: Counted, step: number): string {
  return new Date(since + step * stepMinutes * 60_000).toISOString();
}
