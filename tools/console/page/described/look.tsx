import type { ComponentChildren } from "preact";
import type { FormInput } from "../../../operations/described/command-line.ts";
import type { Offer } from "../../../operations/described/description.ts";
import type { InputField, OperationForm } from "../../../operations/described/input-fields.ts";
import type { ReportView } from "../../server/described-routes.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Command, pathOf, useOperation } from "../parts/command.tsx";
import { useChoice } from "../parts/fields.tsx";
import { wordOf } from "../parts/meaning.tsx";
import { capitalized, Report } from "../parts/report.tsx";
import { Actions, LookBar, Shown } from "../parts/states.tsx";
import { addressOf, type Query } from "../router.tsx";
import { type LookView, useLook, useStack } from "../use-view.ts";

interface LookProps {
  /** Such as ["dead-letters", "list"]. */
  readonly operation: readonly [command: string, verb: string];
  readonly input?: Query;
  /** Completes "Loading the keys …". */
  readonly what: string;
  /** The page of a row, by its id. */
  readonly rowAddress?: (id: string) => string;
  /** Shown below a report without a table. */
  readonly empty?: ComponentChildren;
  /** Shown if the thing does not exist. */
  readonly missing?: ComponentChildren;
  /** Shown with the button if there is no recent result and the page must not read by itself. */
  readonly unseen?: (look: ComponentChildren) => ComponentChildren;
}

/** The report of a described read operation, with the actions on what it lists. */
export function DescribedLook(props: LookProps) {
  const { operation, input = {}, what, missing, unseen, ...shown } = props;
  const address = addressOf(["api", ...operation], input);
  const view = useLook<ReportView>(address, `${addressOf(["api", ...operation])}/again`, input);
  return (
    <Shown view={view} what={what} missing={missing}>
      {({ report }) =>
        report === undefined ? (
          unseen?.(<LookButton view={view} what={what} />)
        ) : (
          <>
            <LookBar view={view} />
            <Found
              report={report}
              command={operation[0]}
              verb={operation[1]}
              input={input}
              {...shown}
            />
          </>
        )
      }
    </Shown>
  );
}

function LookButton({ view, what }: Pick<LookProps, "what"> & { view: LookView<ReportView> }) {
  const { isLooking, refresh } = view;
  return (
    <button type="button" aria-disabled={isLooking} onClick={refresh}>
      {isLooking ? "Loading …" : `Show ${what}`}
    </button>
  );
}

interface FoundProps extends Pick<LookProps, "rowAddress" | "empty"> {
  readonly report: NonNullable<ReportView["report"]>;
  readonly command: string;
  readonly verb: string;
  readonly input: Query;
}

function Found({ report, command, verb, input, rowAddress, empty }: FoundProps) {
  const { table } = report;
  const choice = useChoice(table?.ids ?? []);
  const isChoosable = useRowChanges(command).length > 0;
  const shownId = useRowId(command, verb, input);
  return (
    <>
      {table?.ids !== undefined && (
        <RowChanges
          command={command}
          given={input}
          ids={[...choice.chosen]}
          onDone={choice.clear}
        />
      )}
      {shownId !== undefined && (
        <RowChanges command={command} given={input} ids={[shownId]} isShown />
      )}
      <Report
        report={report}
        choice={isChoosable ? choice : undefined}
        rowAddress={rowAddress}
        offers={(offers) => <Offers command={command} offers={offers} />}
      />
      {table === undefined && empty}
    </>
  );
}

/** The id of the row that is shown in full. */
function useRowId(command: string, verb: string, input: Query): string | undefined {
  const form = useOperation(pathOf({ command, verb }));
  const field = form.fields.find(({ fromRows }) => fromRows === "one");
  return field && input[field.name];
}

/** The command's changes that act on rows of its list. */
function useRowChanges(command: string): readonly OperationForm[] {
  return useStack().operations.filter(
    (form) => form.kind === "change" && form.command === command && rowField(form, "chosen"),
  );
}

function rowField({ fields }: OperationForm, kind: InputField["fromRows"]) {
  return fields.find(({ fromRows }) => fromRows === kind);
}

interface RowChangesProps {
  readonly command: string;
  readonly given: Query;
  /** Empty means all. */
  readonly ids: readonly string[];
  /** True if the page is about exactly these rows. */
  readonly isShown?: boolean;
  readonly onDone?: () => void;
}

/** The actions on the selected rows, or on all. */
function RowChanges({ command, given, ids, isShown = false, onDone }: RowChangesProps) {
  const count = ids.length === 0 ? " all" : ` ${ids.length}`;
  return (
    <Actions>
      {useRowChanges(command).map((form) => (
        <ChangeButton
          key={form.verb}
          label={`${capitalized(form.verb ?? command)}${isShown ? "" : count} …`}
          word={wordOf(form.verb ?? command)}
          path={pathOf(form)}
          input={() => rowInput(form, given, ids)}
          isPrimary={ids.length > 0}
          onDone={onDone}
        />
      ))}
    </Actions>
  );
}

/** The part of the list's input that the change accepts, too. */
function rowInput(form: OperationForm, given: Query, ids: readonly string[]): FormInput {
  const chosen = ids.length > 0 ? rowField(form, "chosen") : rowField(form, "all");
  const names = form.fields.filter(({ fromRows }) => fromRows === undefined);
  const kept = names.map(({ name }) => [name, given[name]] as const);
  return {
    ...Object.fromEntries(kept),
    ...(chosen && { [chosen.name]: chosen.fromRows === "all" ? true : ids }),
  };
}

interface OffersProps {
  readonly command: string;
  readonly offers: readonly Offer[];
}

/** Buttons on the local stack. Changes that read keys from files are commands everywhere. */
function Offers({ command, offers }: OffersProps) {
  const { kind, operations } = useStack();
  const takesKeys = ({ verb }: Offer) =>
    operations.some(
      (form) =>
        form.command === command &&
        form.verb === verb &&
        form.fields.some(({ isKeyFile }) => isKeyFile),
    );
  const isButton = (offer: Offer) => kind === "local" && !takesKeys(offer);
  return (
    <div class="commands">
      <p class="quiet">
        Each command shows a preview, and applies the change with <code>--yes</code>.
      </p>
      <div class="buttons">
        {offers.filter(isButton).map(({ purpose, verb, input }) => (
          <ChangeButton
            key={purpose}
            label={`${purpose} …`}
            path={pathOf({ command, verb })}
            input={() => input}
          />
        ))}
      </div>
      {offers
        .filter((offer) => !isButton(offer))
        .map(({ purpose, verb, input }) => (
          <Command key={purpose} purpose={purpose} path={pathOf({ command, verb })} input={input} />
        ))}
    </div>
  );
}
