/** What the costs of a search say, in words. */
import type { Candidate, ClipInfo, Explanation } from "../messages";

export function featureWords(name: string): string {
  return name.replace(/_/g, " ");
}

const NOTHING = 0.0005; // of a cost, which is shown as zero

/** A cost with two digits that count: those of a standing character are thousandths. */
export function writeCost(cost: number): string {
  return cost < NOTHING ? "next to nothing" : cost < 0.1 ? String(Number(cost.toPrecision(2))) : cost.toFixed(2);
}

const CAUSES: Record<string, string> = {
  interval: "it was time",
  "velocity changed": "another velocity was asked for",
  "facing changed": "another facing was asked for",
  "end of the clip": "the clip ended",
  "tags changed": "another gait was asked for",
  "database asked for": "another database was asked for",
};

/** Why a search was made, to stand after "because". */
export function causeWords(cause: string): string {
  return CAUSES[cause] ?? (cause || "it was time");
}

/** The feature on which a candidate loses most to the winner; null where it loses on none. */
export function losesMost(
  candidate: Candidate,
  winner: Candidate,
  features: readonly string[],
): { feature: string; by: number } | null {
  let best = -1,
    by = 0;
  candidate.feature_costs.forEach((cost, k) => {
    const more = cost - winner.feature_costs[k];
    if (more > by) {
      best = k;
      by = more;
    }
  });
  return best < 0 ? null : { feature: features[best], by };
}

/** The winner of a search: a candidate, the frame that plays on, or null. */
export function winnerOf(explanation: Explanation): Candidate | null {
  const { chosen, staying, candidates } = explanation;
  if (staying?.frame === chosen) return staying;
  return candidates.find((one) => one.frame === chosen) ?? null;
}

export function clipTime(candidate: Candidate, clips: readonly ClipInfo[], rate: number): string {
  const clip = clips.find((one) => candidate.frame >= one.start && candidate.frame < one.stop);
  return `${((candidate.frame - (clip?.start ?? candidate.frame - candidate.clip_frame)) / rate).toFixed(2)} s`;
}

/** One sentence: what was taken and by how much. */
export function verdict(explanation: Explanation): { title: string; text: string } {
  const { staying, candidates, features } = explanation,
    winner = winnerOf(explanation);
  if (!winner) return { title: "Nothing could be taken", text: explanation.reason };
  const stays = winner === staying,
    best = candidates[0];
  if (stays) {
    const most = best ? losesMost(best, winner, features) : null;
    const why = explanation.returns
      ? ", but the character came from there a moment ago: it does not go back and forth."
      : best && best.cost <= winner.cost
        ? ": not enough of a gain to jump."
        : `${most ? `; it loses most on ${featureWords(most.feature)}` : ""}.`;
    const text = !best
      ? "No other frame may be taken here."
      : winner.cost < NOTHING
        ? "It fits what is wanted: no other frame is a gain."
        : `The best other frame costs ${writeCost(best.cost)}, this one ${writeCost(winner.cost)}${why}`;
    return { title: `${winner.clip} plays on`, text };
  }
  if (!staying)
    return {
      title: `Jumped to ${winner.clip}`,
      text: `It costs ${writeCost(winner.cost)}. The frame that played could not go on: its clip ends or the filter forbids it.`,
    };
  const most = losesMost(staying, winner, features);
  return {
    title: `Jumped to ${winner.clip}`,
    text: `It costs ${writeCost(winner.cost)}, playing on ${writeCost(staying.cost)}${most ? `; the gain is mostly ${featureWords(most.feature)} (${writeCost(most.by)})` : ""}.`,
  };
}
