/** Counts by fact; a fact that is not there was counted 0 times. */
export type Counts = Readonly<Record<string, number>>;

export interface Flow {
  readonly name: string;
  readonly says: string;
  /** What the flow costs on so many skills. */
  readonly counts: (skills: number) => Counts;
  /** What it may cost at most. */
  readonly wanted: Counts;
  readonly reached: boolean;
}

/** The facts that are counted, each with its name in the report. */
export const FACTS: Readonly<Record<string, string>>;
export const FLOWS: readonly Flow[];

/** Runs every flow on a library of so many skills. Returns the counts of each by its name. */
export function walkAll(options: {
  readonly skills: number;
  readonly onFlow?: (name: string, counts: Counts) => void;
}): Promise<ReadonlyMap<string, Counts>>;

/** The facts whose count differs from the table: above it, or, unless the count is an upper bound, below it. */
export function differences(
  flow: Flow,
  counts: Counts,
  skills: number,
): { readonly fact: string; readonly now: number; readonly before: number }[];

/** The facts of which more was counted than is wanted. */
export function missedGoals(
  flow: Flow,
  counts: Counts,
): { readonly fact: string; readonly now: number; readonly most: number }[];
