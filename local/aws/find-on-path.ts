import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export function findOnPath(program: string, { PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
