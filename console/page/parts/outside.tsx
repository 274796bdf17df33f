import { harmless } from "../../../shared/terminal-text.ts";

/** A text from outside, such as an order number. Marks that would turn the direction or hide a part of it are made visible. */
export function Outside({ text }: { readonly text: string }) {
  return <bdi>{harmless(text)}</bdi>;
}
