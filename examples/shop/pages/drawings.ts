import { type Html, html } from "./html.ts";

/** A cup of this tea from above, drawn: no picture has to be loaded. */
export function drawCup(teaId: string): Html {
  const { liquid, depth, motif } = cups[teaId] ?? plainCup;
  const gradient = `in-${teaId}`;
  return html`<svg viewBox="0 0 320 200" aria-hidden="true" focusable="false">
<defs><radialGradient id="${gradient}" cx="42%" cy="36%" r="75%">
<stop offset="0" stop-color="${liquid}"/><stop offset="1" stop-color="${depth}"/>
</radialGradient></defs>
<ellipse cx="166" cy="108" rx="84" ry="82" fill="#1d2a22" opacity="0.1"/>
<circle cx="160" cy="100" r="82" fill="#fffdf8"/>
<circle cx="160" cy="100" r="82" fill="none" stroke="#ded6c6" stroke-width="1.5"/>
<circle cx="160" cy="100" r="66" fill="none" stroke="#ece5d8" stroke-width="1.5"/>
<path d="${handle}" fill="none" stroke="#d5ccba" stroke-width="13"/>
<path d="${handle}" fill="none" stroke="#f6f1e6" stroke-width="10"/>
<circle cx="160" cy="100" r="55" fill="#f6f1e6"/>
<circle cx="160" cy="100" r="55" fill="none" stroke="#d5ccba" stroke-width="1.5"/>
<circle cx="160" cy="100" r="48" fill="url(#${gradient})"/>
<path d="M124 84 a40 40 0 0 1 26 -22" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" opacity="0.55"/>
${motif}</svg>`;
}

const handle = "M205 74 C236 52 258 84 212 104";

interface Cup {
  readonly liquid: string;
  readonly depth: string;
  readonly motif: Html;
}

/** Repeats a shape round its own middle, as petals grow. */
function around(count: number, draw: (degrees: number) => Html): Html[] {
  return Array.from({ length: count }, (_, index) => draw((360 / count) * index));
}

function at(x: number, y: number, degrees: number, scale: number, shape: Html | Html[]): Html {
  return html`<g transform="translate(${x} ${y}) rotate(${degrees}) scale(${scale})">${shape}</g>`;
}

const needle = html`<path d="M-17 0 Q0 -5 17 0 Q0 4 -17 0Z" fill="#4d7d3a"/>`;
const paleNeedle = html`<path d="M-15 0 Q0 -4 15 0 Q0 4 -15 0Z" fill="#86ab55"/>`;

const sprig = html`<path d="M0 34 Q2 12 0 -8" fill="none" stroke="#5c6a35" stroke-width="2.5"/>
<path d="M0 12 Q-26 8 -30 -18 Q-4 -16 0 12Z" fill="#47693a"/>
<path d="M0 12 Q-14 -4 -30 -18" fill="none" stroke="#7d9a63" stroke-width="1.2"/>
<path d="M0 4 Q24 -2 26 -28 Q2 -24 0 4Z" fill="#5a8047"/>
<path d="M0 4 Q12 -12 26 -28" fill="none" stroke="#8cab70" stroke-width="1.2"/>
<path d="M0 -6 Q-6 -18 1 -28 Q7 -18 0 -6Z" fill="#8fb06a"/>`;

const flower = [
  ...around(
    5,
    (degrees) =>
      html`<ellipse cx="0" cy="-12" rx="7" ry="12" fill="#fffefa" stroke="#dfd6bf" transform="rotate(${degrees})"/>`,
  ),
  html`<circle r="4.5" fill="#e5b84b"/>`,
];

const star = [
  ...around(
    8,
    (degrees) =>
      html`<path d="M0 0 Q-6 -12 0 -24 Q6 -12 0 0Z" fill="#7b4a2c" stroke="#5c3520" transform="rotate(${degrees})"/>`,
  ),
  ...around(
    8,
    (degrees) =>
      html`<circle cx="0" cy="-13" r="2.2" fill="#d39a5e" transform="rotate(${degrees})"/>`,
  ),
  html`<circle r="4" fill="#5c3520"/>`,
];

const bark = html`<rect x="-34" y="-6" width="68" height="12" rx="6" fill="#9a5a33"/>
<path d="M-30 -2 H30 M-30 2 H30" stroke="#7a4325" stroke-width="1.4"/>`;

const plainCup: Cup = { liquid: "#c98f4e", depth: "#8a5a2b", motif: html`` };

const cups: Readonly<Record<string, Cup>> = {
  sencha: {
    liquid: "#d8dc86",
    depth: "#9fae4c",
    motif: html`${at(48, 52, -24, 1, needle)}${at(66, 78, 30, 0.9, paleNeedle)}${at(34, 96, 62, 0.9, needle)}
${at(276, 146, 18, 1, needle)}${at(254, 168, -32, 0.9, paleNeedle)}${at(292, 120, 70, 0.8, paleNeedle)}
${at(148, 112, -18, 0.7, needle)}${at(176, 96, 40, 0.6, needle)}`,
  },
  assam: {
    liquid: "#b3592a",
    depth: "#6f2c14",
    motif: html`${at(50, 66, -18, 1, sprig)}${at(280, 146, 150, 0.85, sprig)}`,
  },
  jasmine: {
    liquid: "#efdc9a",
    depth: "#cfae56",
    motif: html`${at(50, 56, 8, 1, flower)}${at(76, 156, 40, 0.75, flower)}${at(282, 150, 20, 0.95, flower)}
${at(166, 106, 12, 0.75, flower)}`,
  },
  chai: {
    liquid: "#d9a878",
    depth: "#a9713f",
    motif: html`${at(52, 60, 12, 1, star)}${at(276, 156, -28, 1, bark)}${at(284, 134, -22, 0.8, bark)}
${at(160, 104, 20, 0.7, star)}`,
  },
};
