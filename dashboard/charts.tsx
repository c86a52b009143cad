// The two pictures of the dashboard, drawn as SVG: the weeks of a skill with its versions, and the neighbours of a skill.

import type { SkillStats, Version } from "./answers.ts";
import { plain } from "./pieces.tsx";
import { skillAddress } from "./route.ts";

type Week = SkillStats["weeks"][number];

const WEEK_MS = 7 * 86_400_000;
const CHART = { width: 360, height: 130, left: 26, bottom: 18, top: 14 };
const LINES: readonly (readonly [title: string, value: (week: Week) => number])[] = [
  ["shown", ({ shown }) => shown],
  ["activated", ({ activated }) => activated],
  ["succeeded", ({ successes }) => successes],
];

/** The funnel by week, with a mark where a version of the skill was made. */
export function Weeks({ weeks, versions }: { weeks: readonly Week[]; versions: readonly Version[] }) {
  const { width, height, left, bottom, top } = CHART;
  const most = Math.max(1, ...weeks.flatMap((week) => LINES.map(([, value]) => value(week))));
  const from = weeks[0]?.week ?? 0;
  const step = (width - left - 8) / Math.max(1, weeks.length - 1);
  const x = (at: number) => left + at * step;
  const y = (value: number) => height - bottom - (value / most) * (height - bottom - top);
  const marks = versions
    .map(({ id, at, action, author }) => ({ id, at: (at - from) / WEEK_MS, title: `${action} by ${author}` }))
    .filter(({ at }) => at >= 0 && at <= weeks.length);
  const told = LINES.map(([title, value]) => `${title} ${weeks.map(value).join(", ")}`).join("; ");
  return (
    <figure class="weeks">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`By week: ${told}`}>
        <line class="axis" x1={left} y1={y(0)} x2={width} y2={y(0)} />
        <line class="axis faint" x1={left} y1={y(most)} x2={width} y2={y(most)} />
        <text x={left - 5} y={y(most) + 4} text-anchor="end">
          {most}
        </text>
        <text x={left - 5} y={y(0) + 4} text-anchor="end">
          0
        </text>
        <text x={left} y={height - 3}>
          {dayOf(from)}
        </text>
        <text x={width} y={height - 3} text-anchor="end">
          this week
        </text>
        {marks.map(({ id, at, title }) => (
          <g key={id} class="mark">
            <line
              x1={x(Math.min(at, weeks.length - 1))}
              x2={x(Math.min(at, weeks.length - 1))}
              y1={2}
              y2={y(0)}
            />
            <circle cx={x(Math.min(at, weeks.length - 1))} cy={4} r={4}>
              <title>{plain(title)}</title>
            </circle>
          </g>
        ))}
        {LINES.map(([title, value]) => (
          <g key={title} class={title}>
            <polyline points={weeks.map((week, at) => `${x(at)},${y(value(week))}`).join(" ")} />
            {weeks.map((week, at) =>
              value(week) === 0 ? null : (
                <circle key={week.week} cx={x(at)} cy={y(value(week))} r={3}>
                  <title>{`${dayOf(week.week)}: ${title} ${value(week)}`}</title>
                </circle>
              ),
            )}
          </g>
        ))}
      </svg>
      <figcaption class="quiet">
        {LINES.map(([title]) => (
          <span key={title} class="key">
            <i class={`dot ${title}`} /> {title}
          </span>
        ))}
        {marks.length > 0 && (
          <span class="key">
            <i class="dot mark" /> a version
          </span>
        )}
      </figcaption>
    </figure>
  );
}

const dayOf = (at: number) => new Date(at).toLocaleDateString("en", { month: "short", day: "numeric" });

/** How two skills belong together. */
export interface Tie {
  readonly a: string;
  readonly b: string;
  readonly kind: "overlap" | "together" | "see also" | "family" | "rival";
  /** 0 to 1. */
  readonly strength: number;
}

/** More would be a hairball. */
const MOST_NODES = 30;
const PICTURE = { width: 460, lift: 14 };
/** A picture of few skills needs little room. */
const heightFor = (nodes: number) => (nodes <= 2 ? 90 : nodes <= 4 ? 150 : nodes <= 10 ? 260 : 380);

/**
 * A skill with its neighbours around it; without one, the skills with the strongest ties. Skills that are tied stand next to each
 * other on the circle.
 */
export function Neighbourhood({ ties, of }: { ties: readonly Tie[]; of?: string | undefined }) {
  const shown = strongest(ties, of);
  if (shown.names.length < 2) return null;
  const { width, lift } = PICTURE;
  const height = heightFor(shown.names.length);
  const around = shown.names.filter((name) => name !== of);
  const place = new Map<string, readonly [number, number]>();
  // One neighbour is beside the skill, not around it.
  const middle = of !== undefined && around.length === 1 ? width * 0.32 : width / 2;
  if (of !== undefined) place.set(of, [middle, height / 2]);
  for (const [at, name] of around.entries()) {
    // Few stand on one line; more begin between the directions, so that names do not lie on each other.
    const angle = ((at + (around.length > 2 ? 0.5 : 0)) / around.length) * 2 * Math.PI;
    place.set(name, [middle + Math.cos(angle) * width * 0.36, height / 2 + Math.sin(angle) * height * 0.34]);
  }
  return (
    <svg class="neighbours" viewBox={`0 0 ${width} ${height}`}>
      <title>Neighbouring skills</title>
      {shown.ties.map(({ a, b, kind, strength }) => {
        const [x1, y1] = place.get(a)!;
        const [x2, y2] = place.get(b)!;
        return (
          <line
            key={`${a} ${b} ${kind}`}
            class={kind.replace(" ", "-")}
            x1={x1}
            y1={y1}
            x2={x2}
            y2={y2}
            stroke-width={1 + 4 * strength}
          >
            <title>{`${plain(a)} and ${plain(b)}: ${kind}`}</title>
          </line>
        );
      })}
      {[...place].map(([name, [x, y]]) => (
        <a key={name} href={skillAddress(name)} aria-label={plain(name)}>
          <circle class={name === of ? "own" : ""} cx={x} cy={y} r={name === of ? 9 : 6} />
          <text x={x} y={y < height / 2 - 1 ? y - lift : y + lift + 8} text-anchor="middle">
            {short(plain(name))}
          </text>
        </a>
      ))}
    </svg>
  );
}

function strongest(ties: readonly Tie[], of: string | undefined) {
  const own = ties.filter(({ a, b }) => a !== b && (of === undefined || a === of || b === of));
  const names = new Set<string>(of === undefined ? [] : [of]);
  for (const { a, b } of [...own].sort((one, other) => other.strength - one.strength))
    if (names.size + Number(!names.has(a)) + Number(!names.has(b)) <= MOST_NODES) names.add(a).add(b);
  return { names: [...names], ties: ties.filter(({ a, b }) => a !== b && names.has(a) && names.has(b)) };
}

const LONGEST = 24;
const short = (name: string) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
