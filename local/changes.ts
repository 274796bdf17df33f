/** Tells that something in the stack has changed, without saying what. */
export interface Changes {
  readonly tell: () => void;
  /** Returns a function that ends it. */
  readonly follow: (listener: () => void) => () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  return {
    tell: () => {
      for (const listener of listeners) listener();
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
