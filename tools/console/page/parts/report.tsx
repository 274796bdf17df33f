import { type ComponentChildren, isValidElement, type VNode } from "preact";
import type {
  Cell,
  Offer,
  Report as Reported,
  Table as ReportedTable,
  Section,
} from "../../../operations/described/description.ts";
import { addressOf, Link } from "../router.tsx";
import { Badge, Id, Outside } from "./elements.tsx";
import type { Choice } from "./fields.tsx";
import { Json } from "./json.tsx";
import { wordOf } from "./meaning.tsx";
import { type Column, Table } from "./table.tsx";
import { Ago } from "./time.tsx";

interface ReportProps extends RowProps {
  readonly report: Reported;
  /** Renders the actions of a section. */
  readonly offers?: ((offers: readonly Offer[]) => ComponentChildren) | undefined;
}

/** An operation's report: sentences, facts, sections, table and text. */
export function Report({ report, offers, ...rows }: ReportProps) {
  const { lines, facts, sections = [], table, below = [], text } = report;
  return (
    <>
      <Sentences lines={lines} />
      {facts !== undefined && <FactList facts={facts} />}
      {sections.map((section) => (
        <section key={section.title} class="card">
          <SectionContent section={section} offers={offers} />
        </section>
      ))}
      {table !== undefined && <ReportTable table={table} {...rows} />}
      {text !== undefined && <Json value={text} what="content" />}
      <Sentences lines={below} isQuiet />
    </>
  );
}

const tones = { Problem: "bad", "Not now": "bad", Warning: "open" } as const;
const opening = /^(Problem|Not now|Warning|Note): /;

interface SentencesProps {
  readonly lines: readonly string[];
  readonly isQuiet?: boolean;
}

/** Highlights sentences that begin with "Problem:" or "Warning:", as the terminal does. */
function Sentences({ lines, isQuiet = false }: SentencesProps) {
  return (
    <>
      {lines.map((line) => (
        <p key={line} class={isQuiet ? "quiet" : undefined}>
          <Opening line={line} /> <Outside text={line.replace(opening, "")} />
        </p>
      ))}
    </>
  );
}

function Opening({ line }: { readonly line: string }) {
  const word = opening.exec(line)?.[1];
  if (word === undefined) return null;
  const [, tone = "plain"] = Object.entries(tones).find(([name]) => name === word) ?? [];
  return <Badge tone={tone}>{word.toLowerCase()}</Badge>;
}

type SectionProps = Pick<ReportProps, "offers"> & { readonly section: Section };

function SectionContent({ section, offers }: SectionProps) {
  const { title, lines = [], facts, sections = [] } = section;
  return (
    <>
      <h2>
        <Outside text={title} />
      </h2>
      <Sentences lines={lines} />
      {facts !== undefined && <FactList facts={facts} />}
      {sections.length > 0 && (
        <div class="parts">
          {sections.map((part) => (
            <div key={part.title} class="part">
              <h3>
                <Outside text={capitalized(part.title)} />
              </h3>
              <Sentences lines={part.lines ?? []} />
              {part.facts !== undefined && <FactList facts={part.facts} />}
            </div>
          ))}
        </div>
      )}
      {section.offers !== undefined && offers?.(section.offers)}
    </>
  );
}

/** Names and values, as an operation reports them. A page may pass an element as a value. */
export type PageFacts = readonly (readonly [name: string, value: Cell | VNode | undefined])[];

/** Omits a fact without a value. The server sends null for undefined. */
export function FactList({ facts }: { readonly facts: PageFacts }) {
  return (
    <dl>
      {facts.flatMap(([name, value]) =>
        value === undefined || value === null
          ? []
          : [
              <dt key={`${name} name`}>
                <Outside text={capitalized(name)} />
              </dt>,
              <dd key={name}>
                {isValidElement(value) ? value : <ReportCell cell={value} name={name} />}
              </dd>,
            ],
      )}
    </dl>
  );
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface RowProps {
  /** Rows can be selected if the table has ids. */
  readonly choice?: Choice | undefined;
  /** The page of a row, by its id. */
  readonly rowAddress?: ((id: string) => string) | undefined;
}

interface ReportTableProps extends RowProps {
  readonly table: ReportedTable;
}

function ReportTable({ table: { head, rows, ids }, choice, rowAddress }: ReportTableProps) {
  const listed = rows.map((cells, at) => ({ cells, id: ids?.[at] ?? JSON.stringify(cells) }));
  type Row = (typeof listed)[number];
  const filled = head.flatMap((name, at) =>
    rows.every((cells) => cells[at] === "-") ? [] : [[name, at] as const],
  );
  const columns = filled.map(([name, at]): Column<Row> => {
    // A long order number or id may wrap anywhere.
    const isText = rows.every((cells) => typeof cells[at] === "string");
    return {
      head: capitalized(name),
      word: wordOf(name),
      ...(isText && { look: "name" as const }),
      cell: ({ cells }) => <ReportCell cell={cells[at] ?? ""} name={name} />,
    };
  });
  const [first, ...more] = ids === undefined ? columns : columns.slice(1);
  if (first === undefined) return null;
  const opened = rowAddress && {
    ...first,
    look: "wide" as const,
    cell: (row: Row) => <Link to={rowAddress(row.id)}>{first.cell(row)}</Link>,
  };
  return (
    <Table
      columns={[opened ?? first, ...more]}
      rows={listed}
      choice={ids === undefined ? undefined : choice}
      idOf={({ id }) => id}
      nameOf={({ cells }) => cells.slice(1, 3).map(plainText).join(" of ")}
    />
  );
}

/** The text for a screen reader. */
function plainText(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return Object.values(cell)[0] ?? "";
}

interface CellProps {
  readonly cell: Cell;
  /** The name of the value. */
  readonly name: string;
}

export function ReportCell({ cell, name }: CellProps) {
  if (typeof cell === "string") return <Outside text={cell} />;
  if ("time" in cell) return <Ago at={cell.time} />;
  if ("tone" in cell) return <Badge tone={cell.tone}>{cell.text}</Badge>;
  if ("id" in cell) return <Id text={cell.id} what={name.toLowerCase()} />;
  return "order" in cell ? (
    <Link to={addressOf(["orders", cell.order])}>
      <Outside text={cell.order} />
    </Link>
  ) : (
    <Link to={addressOf(["find"], { text: cell.payment })}>
      payment <Outside text={cell.payment} />
    </Link>
  );
}
