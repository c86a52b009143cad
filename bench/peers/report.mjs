// Owns: the shape of the printed tables. Computes no figure.

const round = (ms) => (ms === undefined ? "-" : String(Math.round(ms)));
const count = (n) => (n === undefined ? "-" : n.toLocaleString("en-US"));

const TIMING = [
  ["loader", (row) => row.name],
  ["version", (row) => row.version ?? "-"],
  ["cold process ms", (row) => round(row.coldMs)],
  ["x reading", (row) => row.coldRatio?.toFixed(1)],
  ["first load ms", (row) => round(row.firstMs)],
  ["warm load ms", (row) => round(row.warmMs)],
  ["skills", (row) => count(row.loaded)],
  ["catalog chars", (row) => count(row.catalogChars)],
];

const EDGES = [
  ["usable loaded", (row) => row.edges && `${row.edges.usableLoaded} of ${row.edges.usable}`],
  ["skipped silently", (row) => row.edges?.silent],
  ["hostile survived", (row) => row.edges && `${row.edges.hostileSurvived} of ${row.edges.hostile}`],
  ["crashed", (row) => row.edges?.crashed],
  ["hung", (row) => row.edges?.hung],
  ["leaked", (row) => row.edges?.leaked],
];

export function renderReport({ rows, corpus, cases, machine }) {
  const columns = [...TIMING, ...EDGES];
  const parts = [`${corpus}; ${machine}`, table(columns, rows)];
  const problems = rows.flatMap((row) =>
    [row.problem, row.note].filter(Boolean).map((text) => `- ${row.name}: ${text}`),
  );
  if (problems.length > 0) parts.push(problems.join("\n"));
  const judged = rows.filter((row) => row.outcomes);
  parts.push(
    table(
      [["edge case", (edge) => edge.id], ...judged.map((row) => [row.name, (edge) => row.outcomes[edge.id]])],
      cases,
    ),
  );
  return `${parts.join("\n\n")}\n`;
}

function table(columns, rows) {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, of]) => String(of(row) ?? "-"))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i].length)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}
