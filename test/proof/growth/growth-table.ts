import { table } from "../../../infra/contract/markdown-table.ts";
import { type Round, textOf } from "./count.ts";
import { things } from "./things.ts";

/** The table of docs/scale.md: for each thing its calls, read units and write units at each size. */
export function growthTable(rounds: readonly Round[]): string {
  const sizes = rounds.map(({ size }) => `${size.toLocaleString("en-US")} records`);
  const rows = things.map(({ what, growth }) => {
    const own = rounds.flatMap(({ counted }) => counted.filter((one) => one.what === what));
    const words = { flat: "no", shown: "with what it shows" };
    const grows = typeof growth === "number" ? `up to ${growth} read units` : words[growth];
    return [what, ...own.map(textOf), grows];
  });
  return table(["what", ...sizes, "grows"], rows);
}
