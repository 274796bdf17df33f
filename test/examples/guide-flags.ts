import { flagWords } from "../../shared/facts/flag-words.ts";

const flags = Object.entries(flagWords).map(([flag, { todo }]) => ({
  flag,
  isStopping: todo.startsWith("Do not ship"),
}));

export const guideFlags = {
  /** A payment with one of these is not shipped before a person has looked. */
  stopping: flags.flatMap(({ flag, isStopping }) => (isStopping ? flag : [])),
  others: flags.flatMap(({ flag, isStopping }) => (isStopping ? [] : flag)),
};
