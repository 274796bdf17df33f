/** The known word that was most likely meant; undefined if none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor(word.length / 3));
  const near = known
    .map((name) => ({ name, steps: name.startsWith(word) ? 1 : distance(word, name) }))
    .filter(({ steps }) => steps <= most)
    .sort((left, right) => left.steps - right.steps);
  return near[0]?.name;
}

/** How many letters must be added, removed, replaced or swapped with the next one. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_item, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[right.length] ?? 0;
}
