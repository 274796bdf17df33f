/** The known word that was most likely meant; undefined if none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor(word.length / 3));
  const near = known
    .map((name) => ({ name, steps: isBeginning(word, name) ? 1 : distance(word, name) }))
    .filter(({ steps }) => steps <= most)
    .sort((one, other) => one.steps - other.steps);
  return near[0]?.name;
}

function isBeginning(word: string, name: string): boolean {
  return name.startsWith(word);
}

/** How many letters must be added, removed, replaced or swapped with the next one. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
