/** `npm run proof -- NAME`: the runs that write figures into docs/proof, and what is made from them. */
const runs: Readonly<Record<string, () => Promise<unknown>>> = {
  growth: () => import("./growth/main.ts"),
  load: () => import("./load/main.ts"),
  memory: () => import("./memory/main.ts"),
  sabotage: () => import("./sabotage/main.ts"),
  screenshots: () => import("../screenshots/take-screenshots.ts"),
  write: () => import("./write-proof.ts"),
};

// The run reads the options that follow its name.
const [name = ""] = process.argv.splice(2, 1);
const run = Object.hasOwn(runs, name) ? runs[name] : undefined;
if (run === undefined) {
  console.error(`npm run proof -- ${Object.keys(runs).join("|")} [OPTIONS]`);
  process.exitCode = 2;
} else await run();
