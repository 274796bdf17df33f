import type { KeyCommand } from "../../routes/key-routes.ts";
import { Copy } from "../parts/small.tsx";

const purposes: Readonly<Record<KeyCommand["purpose"], string>> = {
  set: "To set the keys",
  rotate: "To rotate to new keys, before the service changes",
  restore: "To go back to the previous keys, if the current ones are wrong",
  retire: "To take the previous keys out",
  leaked: "If the current keys leaked, with new ones",
};

/** Keys come from files that only the operator has, so the command changes them. */
export function Commands({ commands }: { readonly commands: readonly KeyCommand[] }) {
  return (
    <div class="commands">
      <h3>Change them</h3>
      <p class="quiet">
        With the command, since keys come from files. Each shows first what it would do; add{" "}
        <code>--yes</code> to do it.
      </p>
      <ul>
        {commands.map(({ purpose, command }) => (
          <li key={command}>
            <span class="quiet">{purposes[purpose]}</span>
            <span class="command">
              <code>{command}</code>
              <Copy text={command} what={`command: ${purposes[purpose]}`} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
