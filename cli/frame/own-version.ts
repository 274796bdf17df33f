import packageJson from "../../package.json" with { type: "json" };

/** The version of this command. */
export function ownVersion(): string {
  return packageJson.version;
}
