import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillTables } from "../../../tools/contract/documents/markdown-table.ts";
import { root, writeFigures } from "../measured.ts";
import {
  countSubscribers,
  countThings,
  faultsOf,
  growthTable,
  type Round,
  type Usage,
} from "./count.ts";
import { things } from "./things.ts";

/** `npm run proof -- growth`: what each thing costs at AWS while the tables grow, written to docs/proof and docs/scale.md. */
const { values } = parseArgs({
  options: { sizes: { type: "string", default: "1000,100000,1000000" } },
});
/** Close to the most that fit into the 4 KB of a function's environment. */
const mostSubscribers = 15;

const [single, two, most] = await countSubscribers([1, 2, mostSubscribers]);
const subscribers = { one: single, two, most, mostSubscribers };
const rounds = await countThings(values.sizes.split(",").map(Number), things, write);
const faults = [...faultsOf(rounds), ...subscriberFaults(single, two, most)];
for (const fault of faults) console.log(`It grows: ${fault}`);
console.log(faults.length === 0 ? "Nothing grows." : "");
process.exitCode = faults.length === 0 ? 0 : 1;

function write(so: readonly Round[]): void {
  console.log(`counted with ${so.at(-1)?.size.toLocaleString("en-US")} records`);
  const scale = join(root, "docs/scale.md");
  writeFigures(join(root, "docs/proof/growth.json"), { rounds: so, subscribers });
  writeFileSync(scale, fillTables(readFileSync(scale, "utf8"), { growth: growthTable(so) }));
}

type Counted = readonly Usage[] | undefined;

/** Each further subscriber adds as much as the second did. */
function subscriberFaults(single: Counted, two: Counted, most: Counted): string[] {
  return (two ?? []).flatMap(({ calls }, index) => {
    const expected = calls + (mostSubscribers - 2) * (calls - (single?.[index]?.calls ?? 0));
    const counted = most?.[index]?.calls;
    return counted === expected ? [] : [`with ${mostSubscribers} subscribers: ${counted} calls`];
  });
}
