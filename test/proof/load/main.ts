import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../../setup/read-options.ts";
import { root, writeFigures } from "../measured.ts";
import { startContenders } from "./contenders.ts";
import { drive } from "./drive.ts";
import { plot } from "./plot.ts";
import { isSaturated, type Step } from "./step.ts";

const help = `npm run proof -- load

Sends callbacks at rising rates until saturation: to the stack, and to the same SDK calls without the stack. Nothing
else may run on the machine. The results go to docs/proof/load.json and docs/images/load.svg.

  --help   print this help
`;

/** `npm run proof -- load`. */
readOptions(help, {});
const seconds = 6;
const rates = [2, 5, 10, 20, 40, 80, 160, 320];
const contenders = await startContenders();
const steps: Record<"stack" | "bare", Step[]> = { stack: [], bare: [] };
try {
  for (const name of ["stack", "bare"] as const) await drive(contenders[name], 2, 5);
  for (const rate of rates) await stepUp(rate);
} finally {
  await contenders.stop();
}
const most = (name: keyof typeof steps) =>
  Math.max(...steps[name].map(({ throughput }) => throughput));
const ratios = { throughput: Number((most("stack") / most("bare")).toFixed(2)) };
console.log(ratios);
writeFigures(join(root, "docs/proof/load.json"), { seconds, ratios, ...steps });
writeFileSync(join(root, "docs/images/load.svg"), plot(steps.stack, steps.bare));
process.exit();

/** The two alternate, so that other load on the machine affects both. */
async function stepUp(rate: number): Promise<void> {
  for (const name of ["stack", "bare"] as const) {
    const last = steps[name].at(-1);
    if (last !== undefined && isSaturated(last)) continue;
    const step = await drive(contenders[name], rate, seconds);
    steps[name].push(step);
    console.log(`${name} ${rate}/s: ${textOf(step)}`);
  }
}

function textOf({ throughput, acknowledged, queued, memoryMebibytes }: Step): string {
  const times = [acknowledged.p50, acknowledged.p99, queued.p50, queued.p99].join("/");
  return `${throughput.toFixed(1)}/s ${times} ms ${memoryMebibytes} MiB`;
}
