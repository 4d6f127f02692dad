/** Globs as recipes have them, as far as the page must understand them. */

/** Whether a name fits a glob of *, ? and [...]. */
export function fits(name: string, glob: string): boolean {
  let pattern = "";
  for (let k = 0; k < glob.length; k++) {
    const letter = glob[k],
      close = letter === "[" ? glob.indexOf("]", k + 2) : -1;
    if (letter === "*") pattern += ".*";
    else if (letter === "?") pattern += ".";
    else if (close > 0) {
      const inside = glob
        .slice(k + 1, close)
        .replace(/\\/g, "\\\\")
        .replace(/\]/g, "\\]");
      pattern += `[${inside.startsWith("!") ? `^${inside.slice(1)}` : inside.replace(/^\^/, "\\^")}]`;
      k = close;
    } else pattern += letter.replace(/[.+^${}()|[\]\\/]/g, "\\$&");
  }
  return new RegExp(`^${pattern}$`, "s").test(name);
}

/** A glob that means this name alone. */
export function literal(name: string): string {
  return name.replace(/[[*?]/g, "[$&]");
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
