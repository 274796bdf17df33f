import { type Basket, currentOrderNo, orderPath, type Purchase } from "../memory.ts";
import { currency, decimal, describeLines, type Line, sumCents, type Tea, teas } from "../teas.ts";
import { type Html, html } from "./html.ts";
import { layout, lineList, money } from "./layout.ts";

export interface Shelf {
  readonly basket: Basket;
  readonly purchases: readonly Purchase[];
  /** Something that the visitor should know first. */
  readonly notice?: string;
}

export function shelfPage({ basket, purchases, notice }: Shelf): string {
  const { lines } = basket;
  const total = money(decimal(sumCents(lines)), currency);
  const announcement =
    lines.length === 0 ? "Your basket is empty." : `Basket: ${describeLines(lines)}. ${total}.`;
  return layout(
    { title: "Tea", announcement: notice ?? announcement },
    html`<div class="shop">
<section class="shelf" aria-labelledby="shelf-title">
<h1 id="shelf-title">What shall we brew?</h1>
${notice !== undefined && html`<p class="notice">${notice}</p>`}
<ul class="teas">${teas.map((tea) => teaCard(tea, quantityOf(tea, lines)))}</ul>
${lines.length > 0 && html`<a class="button primary to-basket" href="#basket">Basket: ${total}</a>`}
</section>
<aside id="basket" class="card" aria-labelledby="basket-title">
<h2 id="basket-title">Your basket</h2>
${lines.length === 0 ? html`<p class="quiet">Nothing in it yet.</p>` : payForm(basket, total)}
${purchases.length > 0 && orderList(purchases)}
</aside>
</div>`,
  );
}

function quantityOf(tea: Tea, lines: readonly Line[]): number {
  return lines.find((line) => line.tea.id === tea.id)?.quantity ?? 0;
}

function teaCard(tea: Tea, quantity: number): Html {
  return html`<li class="card tea">
<div><h2>${tea.name}</h2>
<p class="quiet">${tea.origin}</p>
<p>${tea.text}</p></div>
<form method="post" action="/basket" data-in-place>
<p class="price">${money(decimal(tea.priceCents), currency)} <span class="quiet">50 g</span></p>
${quantity === 0 ? addButton(tea) : stepper(tea, quantity)}
</form></li>`;
}

function addButton({ id, name }: Tea): Html {
  return html`<button id="add-${id}" name="add" value="${id}">Add<span class="unseen"> ${name}</span></button>`;
}

function stepper({ id, name }: Tea, quantity: number): Html {
  return html`<button id="remove-${id}" name="remove" value="${id}" aria-label="One ${name} less">−</button>
<span>${quantity}<span class="unseen"> in the basket</span></span>
<button id="add-${id}" name="add" value="${id}" aria-label="One ${name} more">+</button>`;
}

/** The basket's id says what the visitor saw. It also makes a double click one order. */
function payForm({ id, lines }: Basket, total: string): Html {
  return html`${lineList(lines)}
<form method="post" action="/pay">
<input type="hidden" name="basket" value="${id}">
<button class="primary" id="pay">Pay ${total}</button>
</form>
<p class="quiet">You pay on the page of the payment service and come back here.</p>`;
}

function orderList(purchases: readonly Purchase[]): Html {
  return html`<h2>Your orders</h2>
<ul>${purchases.map((purchase) => {
    const orderNo = currentOrderNo(purchase);
    return html`<li><a href="${orderPath(orderNo)}">${describeLines(purchase.lines)}</a>
<br><span class="quiet">${orderNo}</span></li>`;
  })}</ul>`;
}
