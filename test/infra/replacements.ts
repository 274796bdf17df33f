import { isDeepStrictEqual } from "node:util";
import type { StatefulResources } from "./stateful-resources.ts";

const heading = "### What a deployment replaces";

/** What each version of the CHANGELOG tells about replaced resources, the newest first. */
export function toldReplacements(changelog: string): (string | undefined)[] {
  const [, ...versions] = changelog.split(/^## /m);
  return versions.map((version) => {
    const [, told] = version.split(`\n${heading}\n`);
    return told?.split(/^#+ /m)[0]?.trim();
  });
}

/** Resources of the last release that a deployment would replace or leave, and that the newest entry does not name. */
export function untoldReplacements(
  accepted: StatefulResources,
  actual: StatefulResources,
  changelog: string,
): string[] {
  const [newest = ""] = toldReplacements(changelog);
  return Object.keys(accepted).filter(
    (id) => !isDeepStrictEqual(accepted[id], actual[id]) && !newest.includes(`\`${id}\``),
  );
}
