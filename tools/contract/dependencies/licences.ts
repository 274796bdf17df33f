/**
 * Licences of code that we pass on: inside the packages and the deployed functions. All of them allow that if their text
 * goes along, which THIRD-PARTY-NOTICES.txt does.
 */
export const shippedLicences = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

/** Licences of tools that are only installed. MPL-2.0 asks something of those who pass its files on, and we do not. */
export const installedLicences = [
  ...shippedLicences,
  "BlueOak-1.0.0",
  "CC0-1.0",
  "MPL-2.0",
  "Unlicense",
];

/**
 * Of "A OR B" one must be in the list, of "A AND B" both. Anything else but the names of the list is refused, so that a
 * person reads it: a nested expression, a list, a licence that was guessed ("MIT*").
 */
export function mayBeInstalled(licence: unknown): boolean {
  if (typeof licence !== "string") return false;
  const expression = licence.replace(/^\(([^()]*)\)$/, "$1");
  if (/[()]/.test(expression)) return false;
  return expression
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((name) => installedLicences.includes(name)));
}
