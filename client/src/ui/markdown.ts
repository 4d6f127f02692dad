/** The part of Markdown that the manual uses, as elements; nothing in it is taken for HTML. */
import { h } from "./elements";

/** Elements of a text; headings have ids as links to them say. `link` turns an address into what it opens. */
export function renderMarkdown(text: string, link: (address: string) => HTMLAnchorElement | null): HTMLElement[] {
  const lines = text.split("\n"),
    out: HTMLElement[] = [];
  const inline = (source: string) => renderInline(source, link);
  for (let k = 0; k < lines.length; ) {
    const line = lines[k],
      heading = /^(#{1,4}) (.*)$/.exec(line);
    if (!line.trim() || /^!\[.*\]\(.*\)$/.test(line) || line.startsWith("<!--")) k++;
    else if (heading) {
      out.push(h(`h${Math.min(heading[1].length + 1, 5)}`, { id: `manual-${slug(heading[2])}` }, ...inline(heading[2])));
      k++;
    } else if (line.startsWith("```")) {
      const end = lines.findIndex((other, n) => n > k && other.startsWith("```"));
      out.push(h("pre", { tabIndex: 0 }, h("code", lines.slice(k + 1, end < 0 ? undefined : end).join("\n"))));
      k = end < 0 ? lines.length : end + 1;
    } else if (line.startsWith("|")) {
      const rows = takeWhile(lines, k, (other) => other.startsWith("|"));
      out.push(table(rows, inline));
      k += rows.length;
    } else if (/^(- |\d+\. )/.test(line)) {
      const rows = takeWhile(lines, k, (other) => /^(- |\d+\. |\s+\S)/.test(other));
      const items: string[] = [];
      for (const row of rows)
        if (/^(- |\d+\. )/.test(row)) items.push(row.replace(/^(- |\d+\. )/, ""));
        else items[items.length - 1] += ` ${row.trim()}`;
      out.push(h(line.startsWith("-") ? "ul" : "ol", ...items.map((item) => h("li", ...inline(item)))));
      k += rows.length;
    } else {
      const rows = takeWhile(lines, k, (other) => Boolean(other.trim()) && !/^(#|```|\||- |!\[)/.test(other));
      out.push(h("p", ...inline(rows.join(" "))));
      k += Math.max(rows.length, 1);
    }
  }
  return out;
}

/** What a heading is called in addresses. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-");
}

function takeWhile(lines: string[], from: number, passes: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, k) => k >= from && !passes(line));
  return lines.slice(from, end < 0 ? undefined : end);
}

function table(rows: string[], inline: (text: string) => (Node | string)[]): HTMLElement {
  const cells = rows
    .filter((row) => !/^\|[\s|:-]+\|$/.test(row))
    .map((row) => row.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/));
  const [head, ...body] = cells;
  return h(
    "div.manual-table",
    { tabIndex: 0 },
    h(
      "table",
      h("thead", h("tr", ...head.map((cell) => h(cell.trim() ? "th" : "td", ...inline(cell.trim()))))),
      h("tbody", ...body.map((row) => h("tr", ...row.map((cell) => h("td", ...inline(cell.trim())))))),
    ),
  );
}

function renderInline(text: string, link: (address: string) => HTMLAnchorElement | null): (Node | string)[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|!?\[[^\]]*\]\([^)]*\))/).map((part) => {
    const linked = /^!?\[([^\]]*)\]\(([^)]*)\)$/.exec(part);
    if (part.length > 2 && part.startsWith("`")) return h("code", part.slice(1, -1));
    if (part.length > 4 && part.startsWith("**")) return h("strong", part.slice(2, -2));
    if (part.length > 2 && part.startsWith("*")) return h("em", part.slice(1, -1));
    if (!linked) return part;
    const anchor = part.startsWith("!") ? null : link(linked[2]);
    anchor?.append(...renderInline(linked[1], link));
    return anchor ?? linked[1];
  });
}
