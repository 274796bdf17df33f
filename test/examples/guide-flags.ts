import { readFileSync } from "node:fs";

/** What docs/subscribing.md says about flags: each with its advice. */
function flagsOfGuide(): { readonly flag: string; readonly advice: string }[] {
  const guide = readFileSync("docs/subscribing.md", "utf8");
  const rows = guide.slice(guide.indexOf("| flag |")).split("\n").slice(2);
  return rows.slice(0, rows.indexOf("")).flatMap((row) => {
    const [, names = "", , advice = ""] = row.split("|");
    return [...names.matchAll(/`(\w+)`/g)].map(([, flag = ""]) => ({
      flag,
      advice: advice.trim(),
    }));
  });
}

const stops = (advice: string) => advice.startsWith("do not ship");

export const guideFlags = {
  all: flagsOfGuide().map(({ flag }) => flag),
  /** A payment with one of these is not shipped before a person has looked. */
  stopping: flagsOfGuide().flatMap(({ flag, advice }) => (stops(advice) ? flag : [])),
  others: flagsOfGuide().flatMap(({ flag, advice }) => (stops(advice) ? [] : flag)),
};
