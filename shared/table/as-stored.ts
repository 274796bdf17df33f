import type * as z from "zod/mini";

/**
 * An item that was read from a table, checked and unchanged. What this version does not know stays in it at any depth, so
 * that it is still there when the item is written again: a newer version may have written it. For schemas without
 * defaults. Throws if a known field is not as the schema says.
 */
export function asStored<S extends z.ZodMiniType>(schema: S, item: unknown): z.output<S> {
  assertReadable(schema, item);
  return item;
}

function assertReadable<S extends z.ZodMiniType>(
  schema: S,
  item: unknown,
): asserts item is z.output<S> {
  schema.parse(item);
}
