import { installedLicences, licenceFaults } from "./licences.ts";
import { lockedPackages } from "./lock-file.ts";

/** Part of `npm run check`. What is shipped has a shorter list, which a test checks, since it needs the bundles. */
const faults = licenceFaults(lockedPackages(), installedLicences);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
