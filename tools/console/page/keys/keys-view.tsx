import { DescribedLook } from "../described/look.tsx";

/** Each merchant's keys: which versions there are, which one verifies, what can be done. Never a key itself. */
export function KeysView() {
  return (
    <>
      <h1>Keys</h1>
      <p class="lead">
        Which versions open callbacks and sign requests. No key is shown here, and new keys come
        from files, so the command sets them.
      </p>
      <DescribedLook operation={["keys", "check"]} what="the keys" />
    </>
  );
}
