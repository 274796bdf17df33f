import { randomUUID } from "node:crypto";
import type { RotatedKeys } from "../merchants/rotate-keys.ts";

export type Fields = Readonly<Record<string, string>>;

/** What a form achieved. It is shown after the redirect, so that a reload repeats nothing. */
export type Notice =
  | { readonly kind: "done"; readonly text: string; readonly keys?: RotatedKeys }
  /** `fields` are what the user typed, so that the form named `form` still has it. */
  | {
      readonly kind: "problem";
      readonly text: string;
      readonly form: string;
      readonly fields: Fields;
    };

const keptMilliseconds = 10 * 60_000;
const mostNotices = 100;

/**
 * Notices in memory, found by an id that nobody can guess. An address has only the id: with the text in it, a stranger
 * could make a link that shows any text here.
 */
export class NoticeBoard {
  readonly #notices = new Map<string, { notice: Notice; untilMilliseconds: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns the address of a page on which the notice is shown. */
  show(path: string, notice: Notice): string {
    const id = randomUUID();
    this.#notices.set(id, { notice, untilMilliseconds: this.#now() + keptMilliseconds });
    const [oldest] = this.#notices.keys();
    if (this.#notices.size > mostNotices && oldest !== undefined) this.#notices.delete(oldest);
    return `${path}?notice=${id}`;
  }

  find(url: URL): Notice | undefined {
    const found = this.#notices.get(url.searchParams.get("notice") ?? "");
    return found !== undefined && found.untilMilliseconds > this.#now() ? found.notice : undefined;
  }
}

/** What was typed into this form before it was refused. Undefined if it was not refused. */
export function refused(notice: Notice | undefined, form: string): Fields | undefined {
  return notice?.kind === "problem" && notice.form === form ? notice.fields : undefined;
}
