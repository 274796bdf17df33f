import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const linter = fileURLToPath(
  new URL("../../../node_modules/@redocly/cli/bin/cli.js", import.meta.url),
);

/** What Redocly, at its strictest, objects to in an OpenAPI or AsyncAPI document. */
export function lintDocument(path: string): string[] {
  const { totals, problems } = JSON.parse(reportOn(path));
  const found = problems.map(
    ({ ruleId, message, location }: { ruleId: string; message: string; location: object }) =>
      `${ruleId}: ${message} ${JSON.stringify(location)}`,
  );
  // Also if it should count something that it does not list.
  const { errors, warnings, ignored } = totals;
  return errors + warnings + ignored === found.length ? found : [...found, JSON.stringify(totals)];
}

/** Its report, also where it fails. */
function reportOn(path: string): string {
  const args = [linter, "lint", path, "--extends=recommended-strict", "--format=json"];
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  try {
    return execFileSync(process.execPath, args, {
      encoding: "utf8",
      env: { ...process.env, ...quiet },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    return String(Object(error).stdout);
  }
}
