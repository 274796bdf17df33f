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
