import { PaycastError } from "../../../shared/errors/paycast-error.ts";

/** What a template or JSON writes in place of a value that is missing. A schema may have the type "null". */
const hole = /\b(?:undefined|(?<!(?:"type": |[[,]\s*)")null|NaN)\b|\[object \w+\]/;

/** Throws `local-text-missing` if something that is missing became a part of the text. */
export function refuseHoles(where: string, text: string): void {
  const [found] = hole.exec(text) ?? [];
  if (found === undefined) return;
  throw new PaycastError(
    "local-text-missing",
    `${where} would contain "${found}": a text is missing.`,
  );
}
