import type { Fault } from "./problem.ts";

export type Path = readonly PropertyKey[];

/** A sentence about the field at a path. */
export function faultAt(path: Path, predicate: string): Fault {
  const name = path.length === 0 ? "The body" : path.map(String).join(".");
  return { pointer: pointerOf(path), detail: `${name} ${predicate}.` };
}

/** The value at a path of a body that may have any shape; `undefined` if there is none. */
export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    body,
  );
}

function pointerOf(path: Path): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}
