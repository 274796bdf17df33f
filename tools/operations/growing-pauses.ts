const growth = 1.5;

/**
 * Pauses between two looks at something that is about to happen, in milliseconds. The first are short, so that what is
 * quick is seen at once.
 */
export function* growingPauses(longest: number, first = 20): Generator<number, never> {
  for (let pause = first; ; pause = Math.min(longest, pause * growth)) yield pause;
}
