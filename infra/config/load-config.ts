import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Config } from "./config.ts";
import { type Deployment, parseDeployment } from "./environment-config.ts";

export const defaultConfigPath = fileURLToPath(new URL("../paycast.config.json", import.meta.url));

/** Reads a config file. Throws `config-unreadable` or `config-invalid`, naming the file. */
export function loadDeployment(path: string = defaultConfigPath, region?: string): Deployment {
  const input = readJson(path);
  try {
    return parseDeployment(input, { region });
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    throw new PaycastError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}

/** The same without the place of the deployment, for what does not deploy. */
export function loadConfig(path?: string): Config {
  return loadDeployment(path).config;
}

/** Editors on Windows may begin a file with a byte order mark. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError ? `is not JSON (${inOneLine(cause.message)})` : "cannot be read";
    throw new PaycastError("config-unreadable", `${path}: ${reason}`, { cause });
  }
}

/** The message quotes the file, line breaks included. */
function inOneLine(message: string): string {
  return message.replace(/\s+/g, " ");
}
