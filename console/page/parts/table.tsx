import { type ComponentChildren, Fragment } from "preact";
import type { Word } from "../../../shared/words.ts";
import { type Choice, Choose } from "./fields.tsx";
import { Meaning } from "./meaning.tsx";

export interface Column<Row> {
  /** On a narrow screen, where a table is a list, each cell has it as its label. */
  readonly head: string;
  /** The word of the head that is explained. */
  readonly word?: Word;
  /** "wide" is the first line of a row on a narrow screen, which needs no label. */
  readonly look?: "wide" | "number" | "name" | "payment" | "right" | "right number";
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly (Column<Row> | false)[];
  readonly idOf: (row: Row) => string;
  /** Undefined if rows cannot be chosen. */
  readonly choice?: Choice | undefined;
  /** How a screen reader names the row that is chosen. */
  readonly nameOf?: (row: Row) => string;
  readonly class?: string;
  readonly rowClass?: (row: Row) => string | undefined;
  /** What an open row has below it. */
  readonly below?: (row: Row) => ComponentChildren;
}

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, idOf, choice, nameOf = idOf, rowClass, below } = props;
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={props.class}>
      <thead>
        <tr>
          {choice && (
            <th scope="col" class="tick">
              <Choose choice={choice} ids={rows.map(idOf)} label="Choose all shown" />
            </th>
          )}
          {shown.map(({ head, word, look }) => (
            <th key={head} scope="col" class={look}>
              {head} {word && <Meaning of={word} />}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const more = below?.(row);
          return (
            <Fragment key={idOf(row)}>
              <tr class={rowClass?.(row)}>
                {choice && (
                  <td class="tick">
                    <Choose choice={choice} ids={[idOf(row)]} label={`Choose ${nameOf(row)}`} />
                  </td>
                )}
                {shown.map(({ head, look, cell }) => (
                  <td key={head} data-label={head} class={look}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {more && (
                <tr class="details">
                  <td class="wide" colSpan={shown.length}>
                    {more}
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}
