/** HTML that is safe to insert. Only `html` makes it; every other value is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insertable = Html | string | number | false | undefined | readonly Insertable[];

export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  return new Html(parts.map((part, index) => part + insert(values[index])).join(""));
}

function insert(value: Insertable): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(insert).join("");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
