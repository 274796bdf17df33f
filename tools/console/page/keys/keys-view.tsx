import { DescribedLook } from "../described/look.tsx";

/** Each merchant's keys: their versions, which one verifies, and the actions. Never a key itself. */
export function KeysView() {
  return (
    <>
      <h1>Keys</h1>
      <p class="lead">
        Which key versions decrypt callbacks and sign requests. The keys themselves are never shown.
        New keys come from files, so you set them with the command.
      </p>
      <DescribedLook operation={["keys", "check"]} what="the keys" />
    </>
  );
}
