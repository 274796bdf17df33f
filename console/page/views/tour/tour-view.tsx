import type { TourView as Tour } from "../../../tour/tour.ts";
import { send } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Shown } from "../../parts/states.tsx";
import { useView } from "../../use-view.ts";
import { ScenarioCard } from "./scenario-card.tsx";

/** Six scenarios on the running stack, each with a proof from its own data. */
export function TourView() {
  const tour = useView<Tour>("/api/tour");
  return (
    <>
      <h1>Tour</h1>
      <p class="lead">
        Each scenario plays on the stack that runs here, with orders of its own, and ends with what
        was found in its queues, tables and logs.
      </p>
      <Shown view={tour} what="the tour">
        {(data) => (
          <>
            <p class="buttons tour-buttons">
              <ActionButton
                class="primary"
                disabled={data.isRunning}
                act={() => send("/api/tour/start")}
              >
                Play all
              </ActionButton>
              {data.isRunning && (
                <ActionButton act={() => send("/api/tour/stop")}>Stop</ActionButton>
              )}
            </p>
            <ol class="tour">
              {data.cards.map((card) => (
                <ScenarioCard key={card.name} card={card} isRunning={data.isRunning} />
              ))}
            </ol>
          </>
        )}
      </Shown>
    </>
  );
}
