import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { findRepeatedName } from "../../shared/json/find-repeated-name.ts";
import type { Config, ConfigSurroundings } from "./config-schema.ts";
import { type Deployment, parseDeployment } from "./environment-config.ts";

export const defaultConfigPath = fileURLToPath(new URL("../paycast.config.json", import.meta.url));

/** Reads a config file. Throws `config-unreadable` or `config-invalid`, naming the file. */
export function loadDeployment(
  path: string = defaultConfigPath,
  surroundings: ConfigSurroundings = {},
): Deployment {
  const input = readJson(path);
  try {
    return parseDeployment(input, surroundings);
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    throw new PaycastError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}

/** Reads a config file without the environment, for callers that do not deploy. */
export function loadConfig(path?: string): Config {
  return loadDeployment(path).config;
}

/** Editors on Windows may begin a file with a byte order mark. */
function readJson(path: string): unknown {
  const text = readText(path).replace(/^\uFEFF/, "");
  const input = parseText(path, text);
  const repeated = findRepeatedName(text);
  if (repeated === undefined) return input;
  // JSON.parse silently keeps the second value. A second list of subscribers would remove every team of the first.
  throw new PaycastError("config-invalid", `${path}: has "${repeated}" twice in one object`);
}

function parseText(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? whyNotJson(text, cause) : "";
    throw new PaycastError("config-unreadable", `${path}: is not JSON (${reason})`, { cause });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const message =
      path === ""
        ? "The path of the config is empty"
        : `${path}: cannot be read (${whyNotRead(cause)})`;
    throw new PaycastError("config-unreadable", message, { cause });
  }
}

function whyNotRead(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return code === "ENOENT" ? "there is no such file" : code;
}

/** On one line, because the message may quote line breaks of the file. Node 20 does not name the line. */
function whyNotJson(text: string, { message }: Error): string {
  const [, position] = /at position (\d+)$/.exec(message) ?? [];
  const line = position && `, line ${text.slice(0, Number(position)).split("\n").length}`;
  return `${message.replace(/\s+/g, " ")}${line ?? ""}`;
}
