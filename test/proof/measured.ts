import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where and when figures were measured. Every file in docs/proof begins with it. */
export interface Measured {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

export function measuredHere(): Measured {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commitHere(),
    machine: `${process.arch}, ${availableParallelism()} cores, ${gibibytes} GiB, Node ${process.versions.node}`,
  };
}

/** A copy of the sources has none. */
export function commitHere(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: root });
  return status === 0 ? stdout.toString().trim() : "none";
}

export function readFigures<Figures>(file: string): (Measured & Figures) | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function writeFigures<Figures extends object>(file: string, figures: Figures): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...measuredHere(), ...figures }, undefined, 1)}\n`);
}
