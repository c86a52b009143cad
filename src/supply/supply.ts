// The front door of supply: what other rooms may use.

export type { SupplyAddress } from "./address.ts";
export { type CatalogReport, Catalogs } from "./catalogs.ts";
export type { LinkReport, LinkRequest } from "./links.ts";
export type { LockedPackage } from "./lock.ts";
export {
  type Agreement,
  mayTakeUnasked,
  type OfferContent,
  type PackageOffer,
  type PackageRefusal,
} from "./offer.ts";
export type { ListedPackage, OpenedSource } from "./opened-source.ts";
export type { ExportReport, ExportRequest, PublishReport } from "./outgoing.ts";
export type { PackageUpdate } from "./package-update.ts";
export { Sharing } from "./sharing.ts";
export {
  type InstallOptions,
  type OpenSourceOptions,
  Supplies,
  type SupplyResult,
  type UpdateOptions,
  type VerifiedPackage,
} from "./supplies.ts";
export { packageSurroundings } from "./surroundings.ts";
export type { SupplyProgress } from "./tree.ts";
