/** The code of each `@example` in a package's declarations, as a reader would copy it. */
export function examplesIn(declarations: string): string[] {
  const blocks = declarations.matchAll(/@example\s+\* ```ts\n([\s\S]*?)^ *\* ```$/gm);
  return [...blocks].map(([, lines = ""]) => lines.replaceAll(/^ *\* ?/gm, ""));
}

/** The exported functions and classes whose doc comment has no example. */
export function exportsWithoutExample(declarations: string): string[] {
  const pattern =
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?^export declare (?:abstract )?(?:function|class) (\w+)/gm;
  return [...declarations.matchAll(pattern)]
    .filter(([, comment = ""]) => examplesIn(comment).length === 0)
    .map(([, , name = ""]) => name);
}

/** An example imports the package itself; the declarations do not. */
export function withoutComments(declarations: string): string {
  return declarations.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
}
