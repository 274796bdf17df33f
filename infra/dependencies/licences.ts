/**
 * Licences of code that we pass on: inside the packages and the deployed functions. All of them allow that if their text
 * goes along, which THIRD-PARTY-NOTICES.txt does.
 */
export const shippedLicences = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

/** Licences of tools that are only installed. MPL-2.0 asks something of those who pass its files on, and we do not. */
export const installedLicences = [
  ...shippedLicences,
  ...["BlueOak-1.0.0", "CC0-1.0", "MPL-2.0", "Unlicense"],
];

/** Packages whose package.json does not say it as an SPDX expression. A person read what it means. */
const readByHand: Readonly<Record<string, string>> = {
  // ["MIT", "Apache2"]: its LICENSE says that both are offered.
  "pause-stream@0.0.11": "MIT OR Apache-2.0",
};

interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** One sentence for each package whose licence is not allowed, with what to do. */
export function licenceFaults(packages: readonly Licensed[], allowed: readonly string[]): string[] {
  const faults = packages.flatMap(({ name, version, licence }) => {
    const expression = readByHand[`${name}@${version}`] ?? licence;
    return allows(expression, allowed) ? [] : [`${name} ${version}: ${expression}`];
  });
  return [...new Set(faults)].map((fault) => `${fault} is not an allowed licence. ${advice}`);
}

const advice =
  "Use another package, or read the licence and add it to infra/dependencies/licences.ts with the reason.";

/** Of "A OR B" one must be allowed, of "A AND B" both. Anything more complex is for a person to read. */
function allows(expression: string, allowed: readonly string[]): boolean {
  const bare = expression.replace(/^\((.*)\)$/, "$1");
  if (/[()]/.test(bare)) return false;
  return bare
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => allowed.includes(licence)));
}
