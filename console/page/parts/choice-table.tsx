import type { ComponentChildren } from "preact";
import type { Word } from "../../../shared/words.ts";
import { type Choice, Choose } from "./choice.tsx";
import { Meaning } from "./meaning.tsx";

interface Column<Row> {
  readonly head: string;
  /** The word of the head that is explained. */
  readonly word?: Word;
  /** "wide" is the first line of a row on a small screen, which needs no label. */
  readonly look?: "wide" | "number" | "name";
  readonly cell: (row: Row) => ComponentChildren;
}

interface ChoiceTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** Undefined if rows cannot be chosen. */
  readonly choice: Choice | undefined;
  /** How a screen reader names the row that is chosen. */
  readonly nameOf: (row: Row) => string;
}

/** A table whose rows can be chosen. */
export function ChoiceTable<Row>(props: ChoiceTableProps<Row>) {
  const { rows, columns, idOf, choice, nameOf } = props;
  return (
    <table>
      <thead>
        <tr>
          {choice && (
            <th scope="col" class="tick">
              <Choose choice={choice} ids={rows.map(idOf)} label="Choose all shown" />
            </th>
          )}
          {columns.map(({ head, word }) => (
            <th key={head} scope="col">
              {head} {word && <Meaning of={word} />}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {choice && (
              <td class="tick">
                <Choose choice={choice} ids={[idOf(row)]} label={`Choose ${nameOf(row)}`} />
              </td>
            )}
            {columns.map(({ head, look, cell }) => (
              <td key={head} data-label={look === "wide" ? undefined : head} class={look}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
