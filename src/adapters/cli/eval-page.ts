// An evaluation as one page of HTML, to share: figures and failing messages, without scripts and without anything to load.

import type { EvalFailure, EvalReport, GroupFigures } from "../../engine/engine.ts";
import { forXmlText } from "../../text/escape.ts";

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}" +
  "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}" +
  "td.n,th.n{text-align:right}@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}th,td{border-color:#444}}";

/** The whole page. Messages and names are of others, so that all of them are escaped. */
export function evalPage(report: EvalReport, cases: number): string {
  const { groups, macro, falseAlarms, forbiddenFirst, failures, unknown } = report;
  const facts = [
    `${cases === 1 ? "1 message" : `${cases} messages`}, ${failures.length} went wrong.`,
    ...(falseAlarms === null ? [] : [`${percent(falseAlarms)} of those that need no skill recalled one.`]),
    ...(forbiddenFirst === null ? [] : [`${percent(forbiddenFirst)} put a forbidden skill first.`]),
    ...(unknown.length === 0 ? [] : [`Not in the library: ${unknown.join(", ")}.`]),
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recall evaluation</title>
<style>${STYLE}</style>
<h1>Recall evaluation</h1>
${facts.map((fact) => `<p>${forXmlText(fact)}</p>`).join("\n")}
${table(
  ["Source", "Messages", "First", "In three", "Shown"],
  Object.entries({ ...groups, "macro average": macro }).map(([name, figures]) => [name, ...shares(figures)]),
)}
${
  failures.length === 0
    ? "<p>Every message found its skill.</p>"
    : `<h2>Messages that went wrong</h2>\n${table(["Message", "What", "Skills", "Came instead"], failures.map(row))}`
}
</html>
`;
}

function shares({ messages, hit1, recall3, shown3 }: GroupFigures): string[] {
  return [String(messages), percent(hit1), percent(recall3), percent(shown3)];
}

function row({ query, kind, skills, shown }: EvalFailure): string[] {
  return [query, kind.replace("-", " "), skills.join(", "), shown.join(", ") || "nothing"];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: "th" | "td", values: readonly string[]) =>
    `<tr>${values.map((value) => `<${tag}${/^[\d.]+%?$/.test(value) ? ' class="n"' : ""}>${forXmlText(value)}</${tag}>`).join("")}</tr>`;
  return `<table>\n${[cells("th", head), ...rows.map((values) => cells("td", values))].join("\n")}\n</table>`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
