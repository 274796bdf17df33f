import { useState } from "preact/hooks";
import { send } from "../../api.ts";
import { ActionButton } from "../../parts/buttons.tsx";

/** New keys of the payment service, as after a rotation on its side. */
export function KeysCard({ merchants }: { readonly merchants: readonly string[] }) {
  const [rotated, setRotated] = useState<string>();
  const rotate = async (merchantId: string) => {
    setRotated(undefined);
    await send("/api/lab/rotate", { merchantId });
    setRotated(merchantId);
  };
  return (
    <section class="card">
      <h2>The payment service's keys</h2>
      <p class="quiet">
        Makes a new AES key and a new signing key. Paycast stores them before they are used, and the
        service still accepts requests with earlier keys.
      </p>
      <div class="buttons">
        {merchants.map((merchantId) => (
          <ActionButton key={merchantId} class="small" act={() => rotate(merchantId)}>
            Rotate the keys of {merchantId}
          </ActionButton>
        ))}
      </div>
      <p role="status">{rotated !== undefined && `New keys of ${rotated} are in use.`}</p>
    </section>
  );
}
