import type { Cell, Facts, Report as Told } from "../../../operations/described/description.ts";
import type { Word } from "../../../shared/words.ts";
import type { PlannedView } from "../../server/described-routes.ts";
import { addressOf, Link } from "../router.tsx";
import { Fact } from "./details.tsx";
import { Meaning } from "./meaning.tsx";
import { PreviewButton } from "./preview-button.tsx";
import { Badge, Id, Outside } from "./small.tsx";
import { Table } from "./table.tsx";
import { Ago } from "./time.tsx";

/** A report of an operation: its sentences, its facts and its table. */
function Report({ report }: { readonly report: Told }) {
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

/** A fact without a value is left out. What the server sent has null for it, because JSON has no undefined. */
export function FactList({ facts }: { readonly facts: Facts }) {
  return (
    <dl>
      {facts.map(
        ([name, cell]) =>
          cell !== undefined &&
          cell !== null && (
            <Fact key={name} name={<Outside text={name.charAt(0).toUpperCase() + name.slice(1)} />}>
              <ReportCell cell={cell} name={name} />
            </Fact>
          ),
      )}
    </dl>
  );
}

function ReportTable({ table: { head: names, rows } }: { readonly table: Told["table"] & object }) {
  const columns = names.map((head, at) => ({
    ...{ head, look: "name" as const },
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
  if ("id" in cell) return <Id text={cell.id} what={name} />;
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

interface ChangeButtonProps {
  readonly label: string;
  /** The word of the label that is explained. */
  readonly word?: Word;
  /** The path of the operation, such as "/api/quarantine/redrive". */
  readonly path: string;
  readonly input: () => object;
  /** What is missing in the input. It is told in place of a preview. */
  readonly fault?: string | undefined;
  readonly isPrimary?: boolean;
  readonly onDone?: () => void;
}

/** A described change: its preview, and after a yes the work. */
export function ChangeButton({ path, input, word, ...button }: ChangeButtonProps) {
  return (
    <span class="explained">
      <PreviewButton<PlannedView>
        {...button}
        previewPath={`${path}/preview`}
        path={path}
        body={input}
        title={({ title }) => title}
        yes={({ yes }) => yes}
      >
        {({ report }) => <Report report={report} />}
      </PreviewButton>
      {word && <Meaning of={word} />}
    </span>
  );
}
