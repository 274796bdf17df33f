import type { Step } from "./step.ts";

interface Line {
  readonly label: string;
  readonly kind: "offered" | "stack" | "answer" | "bare";
  readonly points: readonly (readonly [rate: number, value: number])[];
}

const panel = { width: 340, height: 220, top: 100, left: 60, gap: 90 };
const bottom = panel.top + panel.height;

/** Two panels over the offered rate: what gets through, and how long it takes. Light or dark, as the reader's page is. */
export function plot(stack: readonly Step[], bare: readonly Step[]): string {
  const line = (
    label: string,
    kind: Line["kind"],
    steps: readonly Step[],
    readValue: (step: Step) => number,
  ): Line => ({ label, kind, points: steps.map((step) => [step.rate, readValue(step)]) });
  const longest = stack.length > bare.length ? stack : bare;
  const through = [
    line("offered", "offered", longest, ({ rate }) => rate),
    line("Paycast", "stack", stack, ({ throughput }) => throughput),
    line("SDK calls alone", "bare", bare, ({ throughput }) => throughput),
  ];
  const times = [
    line("Paycast: in the queue", "stack", stack, ({ queued }) => queued.p50),
    line("Paycast: acknowledged", "answer", stack, ({ acknowledged }) => acknowledged.p50),
    line("SDK calls: in the queue", "bare", bare, ({ queued }) => queued.p50),
  ];
  const width = panel.left + 2 * panel.width + panel.gap + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 50}" role="img" aria-label="Throughput and latency over the offered rate">
<style>
  svg { --ink: #1f2328; --faint: #848d97; --stack: #0969da; --bare: #9a6700; background: #fff; font: 12px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --stack: #4493f8; --bare: #d29922; background: #0d1117 } }
  text { fill: var(--ink) } path { fill: none; stroke: var(--faint) } .stack, .answer, .bare { stroke-width: 2 }
  .stack, .answer { stroke: var(--stack) } .bare { stroke: var(--bare) } .answer { stroke-dasharray: 6 3 } .offered { stroke-dasharray: 2 4 }
</style>
${drawPanel("callbacks a second that reach the queue", through, panel.left)}
${drawPanel("milliseconds from the intended send, median", times, panel.left + panel.width + panel.gap)}
</svg>
`;
}

function drawPanel(title: string, lines: readonly Line[], left: number): string {
  const right = left + panel.width;
  const rates = [...new Set(lines.flatMap(({ points }) => points.map(([rate]) => rate)))];
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const x = scale(rates, left, right);
  const y = scale(values, bottom, panel.top);
  const powers = [1, 10, 100, 1_000, 10_000, 100_000];
  const ticks = powers.filter(
    (power) => power >= Math.min(...values) && power <= Math.max(...values),
  );
  return [
    text(left, 20, title, "start"),
    // The legend.
    ...lines.map(({ kind }, index) => `<path class="${kind}" d="M${left} ${40 + index * 18}h24"/>`),
    ...lines.map(({ label }, index) => text(left + 32, 44 + index * 18, label, "start")),
    `<path d="M${left} ${panel.top}V${bottom}H${right}"/>`,
    ...rates.map((rate) => text(x(rate), bottom + 16, String(rate), "middle")),
    text(right, bottom + 36, "callbacks offered a second", "end"),
    ...ticks.map((tick) => text(left - 6, y(tick) + 4, tick.toLocaleString("en-US"), "end")),
    ...lines.map(({ kind, points }) => {
      const path = points.map(([rate, value]) => `${x(rate).toFixed(1)} ${y(value).toFixed(1)}`);
      return `<path class="${kind}" d="M${path.join("L")}"/>`;
    }),
  ].join("\n");
}

function text(x: number, y: number, words: string, anchor: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
}

/** Logarithmic: rates double from step to step. */
function scale(numbers: readonly number[], from: number, to: number): (value: number) => number {
  const log = (value: number) => Math.log10(Math.max(1, value));
  const [low, high] = [log(Math.min(...numbers)), log(Math.max(...numbers))];
  return (value) => from + ((log(value) - low) / Math.max(0.01, high - low)) * (to - from);
}
