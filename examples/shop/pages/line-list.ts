import { currency, decimal, type Line, sumCents } from "../teas.ts";
import { type Html, html } from "./html.ts";
import { money } from "./layout.ts";

/** What is bought, and the sum. */
export function lineList(lines: readonly Line[]): Html {
  return html`<ul class="lines">${lines.map(
    (line) => html`<li><span>${line.quantity} × ${line.tea.name}</span>
<span>${money(decimal(sumCents([line])), currency)}</span></li>`,
  )}<li class="total"><span>Total</span><span>${money(decimal(sumCents(lines)), currency)}</span></li></ul>`;
}
