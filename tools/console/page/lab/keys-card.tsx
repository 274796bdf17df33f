import { useState } from "preact/hooks";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { useStack } from "../use-view.ts";

/** Rotates the payment service's keys. */
export function KeysCard() {
  const { merchants } = useStack();
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
        Creates a new AES key and a new signing key. Paycast stores them before the payment service
        uses them. The payment service still accepts requests with earlier keys.
      </p>
      <div class="buttons">
        {merchants.map((merchantId) => (
          <ActionButton key={merchantId} class="small" act={() => rotate(merchantId)}>
            Rotate keys of {merchantId}
          </ActionButton>
        ))}
      </div>
      <p role="status">{rotated !== undefined && `The new keys of ${rotated} are in use.`}</p>
    </section>
  );
}
