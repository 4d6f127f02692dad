/** See why: what the last search wanted, what it found, what each feature cost, and why the winner won. */
import type { Candidate, Explanation } from "../messages";
import { OVERLAYS, type OverlayName } from "../scene/overlays";
import type { Panel, Studio } from "../studio";
import { empty, group, h, toggle } from "../ui/elements";
import { icon } from "../ui/icons";
import type { Parts } from "./index";
import { Ghost } from "./ghost";
import { causeWords, clipTime, featureWords, losesMost, verdict, winnerOf } from "./reasons";
import type { Timeline } from "./timeline";
import "./why.css";

const LIVE_PAUSE = 0.8,
  SCRUB_PAUSE = 0.12; // s between questions

export function whyPanel(studio: Studio, parts: Parts, timeline: Timeline): Panel {
  const { live } = studio,
    ghost = new Ghost(studio);
  const box = h("div", { style: "display:grid;gap:16px" });
  let isOpen = false,
    asked = -1,
    request = 0,
    wait = 0;
  let explanation: Explanation | null = null;
  let picked: Candidate | null = null;
  let trouble = "";

  live.onExplanation((answer) => {
    if (answer.request !== request) return;
    if (explanation?.step === answer.step && picked)
      picked =
        [...answer.candidates, ...(answer.staying ? [answer.staying] : [])].find(
          (one) => one.frame === picked!.frame,
        ) ?? null;
    else {
      picked = null;
      ghost.clear();
    }
    explanation = answer;
    show();
  });
  studio.connection.on("error_message", (problem) => {
    if (problem.about !== "explain" || problem.request !== request || explanation) return;
    trouble = problem.message;
    show();
  });
  live.onChange((change) => {
    if (change !== "welcome") return;
    explanation = picked = null;
    asked = -1;
    show();
  });

  function pick(candidate: Candidate): void {
    if (picked?.frame === candidate.frame) {
      picked = null;
      ghost.clear();
    } else {
      if (explanation && live.playing) timeline.scrub(explanation.step);
      picked = candidate;
      asked = explanation?.step ?? -1; // what is still on its way would only replace it
      request = 0;
      void ghost.show(candidate.frame);
    }
    show();
  }

  function show(): void {
    if (!isOpen || !live.welcome) return;
    if (!explanation)
      return box.replaceChildren(
        empty(
          "No search yet",
          "Move the character: the candidates of each search are listed here.",
          trouble ? h("span.note", `${studio.serverless ? "No search is shown" : "The server says"}: ${trouble}.`) : null,
        ),
      );
    const words = verdict(explanation),
      winner = winnerOf(explanation),
      { staying, candidates, features } = explanation;
    const rows = [...(staying ? [staying] : []), ...candidates.filter((one) => one.frame !== staying?.frame)];
    const dearest = Math.max(...rows.map((one) => one.cost), 1e-6);
    const ago = (explanation.step - live.history.newest) / live.welcome.step_rate;
    box.replaceChildren(
      h(
        "div.verdict",
        h("strong", words.title),
        h("span", words.text),
        h(
          "span.note",
          `Searched because ${causeWords(explanation.searched_because)}, ${ago > -0.05 ? "now" : `${(-ago).toFixed(1)} s ago`}.`,
        ),
      ),
      group(
        "Candidate frames, cheapest first",
        h(
          "div.candidates",
          ...rows.map((one, k) => candidateRow(one, staying ? k : k + 1, one === staying, winner, features, dearest)),
        ),
      ),
      featureTable(explanation, winner),
    );
  }

  function candidateRow(
    one: Candidate,
    rank: number,
    stays: boolean,
    winner: Candidate | null,
    features: readonly string[],
    dearest: number,
  ): HTMLElement {
    const chosen = one === winner,
      lost = winner && !chosen ? losesMost(one, winner, features) : null;
    const bar = h(
      "span.bar",
      ...one.feature_costs.map((cost, k) =>
        h("i", {
          style: `width:${(100 * cost) / dearest}%;background:var(--series-${(k % 8) + 1})`,
          title: `${featureWords(features[k])}: ${cost.toFixed(3)}`,
        }),
      ),
    );
    return h(
      `button.candidate${chosen ? ".chosen" : ""}`,
      {
        type: "button",
        "aria-pressed": String(picked?.frame === one.frame),
        title: "Show it as a ghost",
        // the list may be replaced between pressing and letting go, so a pointer picks as it presses
        onpointerdown: (event: PointerEvent) => event.button === 0 && pick(one),
        onclick: (event: MouseEvent) => event.detail === 0 && pick(one),
      },
      h("span.rank", chosen ? icon("check") : stays ? "·" : rank),
      h(
        "span.where",
        one.clip,
        h("small", `${clipTime(one, live.welcome!.clips, live.welcome!.frame_rate)}${stays ? ", playing on" : ""}`),
      ),
      h("span.cost", one.cost.toFixed(3)),
      bar,
      lost && picked?.frame === one.frame
        ? h("span.lost", `Loses most on ${featureWords(lost.feature)}: ${lost.by.toFixed(3)} more than the winner`)
        : null,
    );
  }

  function featureTable(shown: Explanation, winner: Candidate | null): HTMLElement {
    const other = picked && picked !== winner ? picked : winner === shown.staying ? shown.candidates[0] : shown.staying;
    const cells = shown.features.flatMap((name, k) => {
      const own = winner?.feature_costs[k] ?? 0,
        theirs = other?.feature_costs[k];
      const better = theirs === undefined ? "" : theirs < own - 1e-4 ? "better" : theirs > own + 1e-4 ? "worse" : "";
      return [
        h("i", { style: `background:var(--series-${(k % 8) + 1})` }),
        h("span", featureWords(name)),
        h("span.number", own.toFixed(3)),
        h(`span.number${better ? `.${better}` : ""}`, theirs?.toFixed(3) ?? ""),
      ];
    });
    return group(
      "Cost by feature",
      h(
        "div.feature-costs",
        h("span"),
        h("span"),
        h("span.head", "winner"),
        h("span.head", other ? (other === shown.staying ? "playing on" : picked ? "picked" : "next best") : ""),
        ...cells,
      ),
    );
  }

  function toggles(): HTMLElement {
    const names = Object.keys(OVERLAYS) as OverlayName[];
    return h(
      "div.overlay-toggles",
      ...names.map((name) => {
        const [text, title, ink] = OVERLAYS[name];
        const one = toggle(
          text,
          parts.overlays.shown[name],
          (on) => {
            parts.overlays.shown[name] = on;
          },
          { title },
        );
        one.prepend(h("i", { style: `background:var(--${ink})` }));
        return one;
      }),
    );
  }

  return {
    id: "why",
    title: "See why",
    icon: "why",
    layout: "side",
    stage: "live",
    dock: "whole",
    build: () => {
      for (const name of ["wanted", "matched", "body", "contacts"] as const) parts.overlays.shown[name] = true;
      return h("div", { style: "display:grid;gap:16px" }, group("Draw on the stage", toggles()), box);
    },
    opened: () => {
      isOpen = true;
      show();
    },
    closed: () => {
      isOpen = false;
      ghost.clear();
      picked = null;
    },
    frame: (seconds) => {
      ghost.update();
      wait -= seconds;
      if (wait > 0 || !live.welcome) return;
      const step =
        live.playing && !picked
          ? live.history.find(live.history.newest + 1, -1, (played) => played.searched)
          : timeline.here;
      if (step < 0 || step === asked) return;
      wait = live.playing ? LIVE_PAUSE : SCRUB_PAUSE;
      asked = step;
      request = live.explain(step);
    },
  };
}
