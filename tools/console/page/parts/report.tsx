import { isValidElement, type VNode } from "preact";
import type { Cell, Report as Told } from "../../../operations/described/description.ts";
import { addressOf, Link } from "../router.tsx";
import { Badge, Id, Outside } from "./elements.tsx";
import { Table } from "./table.tsx";
import { Ago } from "./time.tsx";

/** A report of an operation: its sentences, its facts and its table. */
export function Report({ report }: { readonly report: Told }) {
  const { lines, facts, table, below = [] } = report;
  return (
    <>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {facts !== undefined && <FactList facts={facts} />}
      {table !== undefined && <ReportTable table={table} />}
      {below.map((line) => (
        <p key={line} class="quiet">
          {line}
        </p>
      ))}
    </>
  );
}

/** Names and values of one thing, as an operation tells them, or with an element where a page shows more. */
export type PageFacts = readonly (readonly [name: string, value: Cell | VNode | undefined])[];

/** A fact without a value is left out. What the server sent has null for it, because JSON has no undefined. */
export function FactList({ facts }: { readonly facts: PageFacts }) {
  return (
    <dl>
      {facts.flatMap(([name, value]) =>
        value === undefined || value === null
          ? []
          : [
              <dt key={`${name} name`}>
                <Outside text={name.charAt(0).toUpperCase() + name.slice(1)} />
              </dt>,
              <dd key={name}>
                {isValidElement(value) ? value : <ReportCell cell={value} name={name} />}
              </dd>,
            ],
      )}
    </dl>
  );
}

function ReportTable({ table: { head: names, rows } }: { readonly table: Told["table"] & object }) {
  const columns = names.map((head, at) => ({
    head,
    look: "name" as const,
    cell: (row: readonly Cell[]) => <ReportCell cell={row[at] ?? ""} name={head} />,
  }));
  return <Table columns={columns} rows={rows} idOf={(row) => JSON.stringify(row)} />;
}

interface CellProps {
  readonly cell: Cell;
  /** What it is. */
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
