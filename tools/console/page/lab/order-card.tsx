import { useState } from "preact/hooks";
import type { MadeOrder } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionProblem } from "../parts/buttons.tsx";
import { Field } from "../parts/fields.tsx";
import { addressOf, Link } from "../router.tsx";
import { useAction, useStack } from "../use-view.ts";

/** Creates an order through Paycast's API and opens its checkout in a new tab. */
export function OrderCard() {
  const { merchants } = useStack();
  const [made, setMade] = useState<MadeOrder>();
  const { isBusy, problem, run } = useAction();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const wanted = readForm(new FormData(event.currentTarget));
    run(() => makeAndOpen(wanted).then(setMade));
  };
  return (
    <section class="card">
      <h2>Create an order</h2>
      <form class="order-form" onSubmit={submit}>
        <Field
          label="Amount"
          name="amount"
          inputMode="decimal"
          defaultValue="12.50"
          maxLength={32}
          required
        />
        <Field label="Currency" name="currency" defaultValue="EUR" maxLength={3} required />
        <Field class="wide" label="Order number (optional)" name="orderNo" maxLength={64} />
        {merchants.length > 1 && <Merchants merchants={merchants} />}
        <button type="submit" class="primary wide" aria-disabled={isBusy}>
          Create and open checkout ↗
        </button>
      </form>
      <ActionProblem problem={problem} />
      <div role="status">{made !== undefined && <Made order={made} />}</div>
    </section>
  );
}

function Merchants({ merchants }: { readonly merchants: readonly string[] }) {
  return (
    <label class="wide">
      Merchant
      <select name="merchantId">
        {merchants.map((merchantId) => (
          <option key={merchantId}>{merchantId}</option>
        ))}
      </select>
    </label>
  );
}

function Made({ order: { orderNo, merchantId, checkoutUrl } }: { readonly order: MadeOrder }) {
  return (
    <p class="made">
      <strong>
        <bdi>{orderNo}</bdi>
      </strong>{" "}
      created.
      <Link to={addressOf(["orders", orderNo], { merchant: merchantId })}>Timeline</Link>{" "}
      <a href={checkoutUrl} target="_blank" rel="noreferrer">
        Checkout ↗
      </a>
    </p>
  );
}

/** The server fills empty fields with defaults. */
function readForm(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value]] : [],
    ),
  );
}

/** The click itself opens the tab: a browser blocks a tab that opens later. */
async function makeAndOpen(wanted: Record<string, string>): Promise<MadeOrder> {
  const tab = window.open("", "_blank");
  try {
    const made = await send<MadeOrder>("/api/lab/orders", wanted);
    if (tab !== null) {
      tab.opener = null;
      tab.location.replace(made.checkoutUrl);
    }
    return made;
  } catch (error) {
    tab?.close();
    throw error;
  }
}
