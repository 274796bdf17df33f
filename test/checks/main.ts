import { unknownCitations } from "./find-citations.ts";
import { forbiddenImports, projectArrows, readmeFaults } from "./find-imports.ts";

/** Part of `npm run check`. */
const faults = [...unknownCitations(), ...forbiddenImports(projectArrows()), ...readmeFaults()];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
