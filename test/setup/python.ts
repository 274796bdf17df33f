import { spawnSync } from "node:child_process";

const candidates = [process.env["PYTHON"], "python3", "/usr/bin/python3"];

/** A Python that has botocore. If there is none, the reason is printed, so that nobody takes a skipped test for a passed one. */
export function findPython(what: string): string | undefined {
  const python = candidates.find((candidate) => candidate !== undefined && hasBotocore(candidate));
  if (python === undefined) {
    console.warn(
      `SKIPPED: ${what}. There is no Python 3 with botocore: "apt-get install python3-botocore", or set PYTHON to one that has it.`,
    );
  }
  return python;
}

function hasBotocore(python: string): boolean {
  return spawnSync(python, ["-c", "import botocore.session"]).status === 0;
}
