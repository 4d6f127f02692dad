/** Colours of clothes, skin and hair: the first outfit is the default character's, the others mix a crowd. */
import type { Tint } from "./outfit";

export type Outfit = Record<Tint, string>;

const FIRST: Outfit = {
  jacket: "#e8613c",
  trim: "#f6ead7",
  trousers: "#2b3a52",
  shoes: "#f2efe8",
  soles: "#e8613c",
  bag: "#2f6f73",
  skin: "#d99a6c",
  lips: "#a95c47",
  hair: "#33231c",
  white: "#fbf8f2",
  iris: "#5d7f8a",
  pupil: "#1c1614",
};

const worn = (...[jacket, trim, trousers, shoes, bag, skin, hair]: string[]): Outfit => ({
  jacket,
  trim,
  trousers,
  shoes,
  soles: "#efece6",
  bag,
  skin,
  lips: `#${skin
    .slice(1)
    .match(/../g)!
    .map((part) =>
      Math.round(0.74 * parseInt(part, 16))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`,
  hair,
  white: "#fbf8f2",
  iris: "#5a4232",
  pupil: "#1c1614",
});

export const OUTFITS: readonly Outfit[] = [
  FIRST,
  worn("#2f7fb8", "#f3d24f", "#3a3d45", "#d8dde2", "#253c56", "#f0c39e", "#6b4226"),
  worn("#f0b43c", "#3b3f4a", "#5a6b48", "#3a332e", "#8d5a34", "#8a5a3c", "#1d1917"),
  worn("#4f9a77", "#f2efe4", "#453a52", "#efece6", "#d9863d", "#e6b48c", "#b98542"),
  worn("#8a5fa8", "#f5c6d0", "#2f3440", "#e9e4f0", "#4b3b63", "#c98b62", "#2a1e1a"),
  worn("#e9e4d8", "#d2483f", "#46566b", "#c14a3f", "#6e7f8d", "#5f3d2b", "#151313"),
  worn("#c9476a", "#ffe9c7", "#31485a", "#f0ede7", "#3c3a46", "#f3cdb0", "#8c3b22"),
  worn("#3d5a45", "#e7a64a", "#6b5946", "#2e2c2a", "#a3683a", "#b27a52", "#4a4a4d"),
];
