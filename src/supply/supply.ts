// The front door of supply: what other rooms may use.

export { mayTakeUnasked, type PackageOffer } from "./offer.ts";
export type { ListedPackage, OpenedSource } from "./opened-source.ts";
export { Supplies, type SupplyResult, type VerifiedPackage } from "./supplies.ts";
export { packageSurroundings } from "./surroundings.ts";
