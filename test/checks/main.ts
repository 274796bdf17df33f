import { unknownCitations } from "./find-citations.ts";
import { circles, forbiddenImports, projectArrows, readmeFaults } from "./find-imports.ts";

/** Part of `npm run check`. */
const arrows = projectArrows();
const faults = [
  ...unknownCitations(),
  ...forbiddenImports(arrows),
  ...circles(arrows),
  ...readmeFaults(),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
