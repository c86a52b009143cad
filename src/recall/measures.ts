// Owns the measures of one candidate for one message: what each number means.
// Does not own how they are taken (features.ts) nor how they are weighed (rank.ts, calibrate.ts).

/** Masses are sums of the message's weights; divide by `Probe.mass` (or `pairMass`) for a share. */
export interface Measures {
  /** Share of the name that the message has, by rarity. */
  nameShare: number;
  /** Share of the name's found words that the message turns down, and nothing else. */
  nameRefused: number;
  /** Words that the name is made of. */
  nameTerms: number;
  /** 1 when the whole name stands where the message turns something down. */
  turnedDown: number;
  /** Words found in name, description and triggers. */
  headMass: number;
  /** The best single claim of the description: words found, times how much of the claim they fill. */
  claim: number;
  /** Words in the one section that has most of them. */
  sectionMass: number;
  /** The same, a short section before a long one. */
  section: number;
  /** The best heading: words found, times how much of the heading they fill. */
  heading: number;
  /** Words found anywhere. */
  allMass: number;
  /** Neighbouring words found as neighbours, in the head and in the body. */
  headPairs: number;
  bodyPairs: number;
  /** The best single clause of what the description says it is not for; words of its own head do not count. */
  notFor: number;
}

/** A skill that has none of the message. */
export const NOTHING: Measures = {
  nameShare: 0,
  nameTerms: 0,
  nameRefused: 0,
  turnedDown: 0,
  headMass: 0,
  claim: 0,
  sectionMass: 0,
  section: 0,
  heading: 0,
  allMass: 0,
  headPairs: 0,
  bodyPairs: 0,
  notFor: 0,
};
