import type { Step } from "./drive.ts";

interface Line {
  readonly label: string;
  readonly kind: "stack" | "bare" | "ideal";
  readonly points: readonly (readonly [rate: number, value: number])[];
}

const panel = { width: 260, height: 220, top: 46, left: 56, gap: 190 };

/** Two panels over the offered rate: what gets through, and how long it takes. Light or dark, as the reader's page is. */
export function plot(stack: readonly Step[], bare: readonly Step[]): string {
  const line = (
    label: string,
    kind: Line["kind"],
    of: readonly Step[],
    value: (step: Step) => number,
  ) => ({
    ...{ label, kind, points: of.map((step) => [step.rate, value(step)] as const) },
  });
  const all = [...stack, ...bare].sort((one, other) => one.rate - other.rate);
  const through = [
    line("offered", "ideal", all, ({ rate }) => rate),
    line("Paycast", "stack", stack, ({ throughput }) => throughput),
    line("SDK calls alone", "bare", bare, ({ throughput }) => throughput),
  ];
  const times = [
    line("Paycast: in the queue", "stack", stack, ({ queued }) => queued.p50),
    line("Paycast: acknowledged", "stack", stack, ({ acknowledged }) => acknowledged.p50),
    line("SDK calls: in the queue", "bare", bare, ({ queued }) => queued.p50),
  ];
  const width = panel.left + 2 * (panel.width + panel.gap);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${panel.height + 110}" role="img" aria-label="Throughput and latency over the offered rate">
<style>
  svg { --ink: #1f2328; --faint: #d0d7de; --stack: #0969da; --bare: #9a6700; background: #fff; font: 12px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #3d444d; --stack: #4493f8; --bare: #d29922; background: #0d1117 } }
  text { fill: var(--ink) } .axis { stroke: var(--faint); fill: none } polyline { fill: none; stroke-width: 2 }
  .stack { stroke: var(--stack) } .bare { stroke: var(--bare) } .ideal { stroke: var(--faint); stroke-dasharray: 4 4 }
</style>
${drawPanel("callbacks a second that reach the queue", through, panel.left)}
${drawPanel("milliseconds from the intended send, median", times, panel.left + panel.width + panel.gap)}
</svg>
`;
}

function drawPanel(title: string, lines: readonly Line[], left: number): string {
  const all = lines.flatMap(({ points }) => points);
  const logs = [all.map(([rate]) => rate), all.map(([, value]) => value)].map(scaleOf);
  const [alongX, alongY] = logs;
  const x = (rate: number) => left + (alongX?.(rate) ?? 0) * panel.width;
  const y = (value: number) => panel.top + (1 - (alongY?.(value) ?? 0)) * panel.height;
  const bottom = panel.top + panel.height;
  const rates = [...new Set(all.map(([rate]) => rate))];
  const values = ticksOf(all.map(([, value]) => value));
  const text = (at: number, down: number, words: string, anchor: string) =>
    `<text x="${at.toFixed(1)}" y="${down.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
  return [
    text(left, panel.top - 26, title, "start"),
    `<path class="axis" d="M${left} ${panel.top}V${bottom}H${left + panel.width}"/>`,
    ...rates.map((rate) => text(x(rate), bottom + 16, String(rate), "middle")),
    text(left + panel.width, bottom + 34, "callbacks offered a second", "end"),
    ...values.map((value) => text(left - 6, y(value) + 4, value.toLocaleString("en-US"), "end")),
    ...lines.map(({ kind, points }) => {
      const path = points.map(([rate, value]) => `${x(rate).toFixed(1)},${y(value).toFixed(1)}`);
      return `<polyline class="${kind}" points="${path.join(" ")}"/>`;
    }),
    ...apart(lines.map(({ label, points }) => ({ label, down: y(points.at(-1)?.[1] ?? 1) }))).map(
      ({ label, down }) => text(left + panel.width + 8, down + 4, label, "start"),
    ),
  ].join("\n");
}

const lineHeight = 16;

/** Labels beside the ends of their lines, from top to bottom, none over another. */
function apart(labels: readonly { readonly label: string; readonly down: number }[]) {
  let free = 0;
  return labels
    .toSorted((one, other) => one.down - other.down)
    .map(({ label, down }) => {
      const place = Math.max(down, free);
      free = place + lineHeight;
      return { label, down: place };
    });
}

/** Logarithmic, from 0 to 1: rates double from step to step. */
function scaleOf(numbers: readonly number[]): (value: number) => number {
  const logs = numbers.map((one) => Math.log10(Math.max(1, one)));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  return (value) => (Math.log10(Math.max(1, value)) - low) / Math.max(0.01, high - low);
}

function ticksOf(numbers: readonly number[]): readonly number[] {
  const [low, high] = [Math.max(1, Math.min(...numbers)), Math.max(...numbers)];
  return [1, 10, 100, 1_000, 10_000, 100_000].filter((one) => one >= low && one <= high);
}
