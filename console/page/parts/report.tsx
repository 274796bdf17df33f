import type { Cell, Report as Told } from "../../../operations/described/description.ts";
import type { Word } from "../../../shared/words.ts";
import type { PlannedView } from "../../server/described-routes.ts";
import { Meaning } from "./meaning.tsx";
import { Outside } from "./outside.tsx";
import { PreviewButton } from "./preview-button.tsx";
import { Badge } from "./small.tsx";
import { Ago } from "./time.tsx";

/** A report of an operation: its sentences, and its table. */
function Report({ report }: { readonly report: Told }) {
  const { lines, table, below = [] } = report;
  return (
    <>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {table !== undefined && <ReportTable table={table} />}
      {below.map((line) => (
        <p key={line} class="quiet">
          {line}
        </p>
      ))}
    </>
  );
}

function ReportTable({ table }: { readonly table: NonNullable<Told["table"]> }) {
  return (
    <table>
      <thead>
        <tr>
          {table.head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, index) => (
              <td key={table.head[index]} data-label={table.head[index]} class="name">
                <ReportCell cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ReportCell({ cell }: { readonly cell: Cell }) {
  if (typeof cell === "string") return <Outside text={cell} />;
  return "time" in cell ? <Ago at={cell.time} /> : <Badge tone={cell.tone}>{cell.text}</Badge>;
}

interface ChangeButtonProps {
  readonly label: string;
  /** The word of the label that is explained. */
  readonly word?: Word;
  /** The path of the operation, such as "/api/quarantine/redrive". */
  readonly path: string;
  readonly input: () => object;
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
