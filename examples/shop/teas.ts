/** What the shop sells. Prices are whole cents, so that sums are exact. */
export interface Tea {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly text: string;
  readonly priceCents: number;
}

export const currency = "USD";

export const teas: readonly Tea[] = [
  {
    id: "sencha",
    name: "Sencha",
    origin: "Green tea · Shizuoka",
    text: "Steamed in spring. Fresh as a cut meadow, with a little sea in it.",
    priceCents: 640,
  },
  {
    id: "assam",
    name: "Assam",
    origin: "Black tea · Brahmaputra valley",
    text: "Malty and strong. It wakes you up and does not mind milk.",
    priceCents: 520,
  },
  {
    id: "jasmine",
    name: "Jasmine pearls",
    origin: "Scented tea · Fujian",
    text: "Rolled by hand, scented over five nights. Watch them open.",
    priceCents: 980,
  },
  {
    id: "chai",
    name: "Masala chai",
    origin: "Spiced tea · our own blend",
    text: "Cardamom, star anise, ginger. Five minutes, with warm milk.",
    priceCents: 575,
  },
];

/** One tea and how many packets of it. */
export interface Line {
  readonly tea: Tea;
  readonly quantity: number;
}

export function sumCents(lines: readonly Line[]): number {
  return lines.reduce((sum, { tea, quantity }) => sum + tea.priceCents * quantity, 0);
}

/** The amount as Paycast takes it: 640 is "6.40". No division, so nothing is rounded. */
export function decimal(cents: number): string {
  const digits = String(cents).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function describeLines(lines: readonly Line[]): string {
  return lines.map(({ tea, quantity }) => `${quantity} × ${tea.name}`).join(", ");
}
