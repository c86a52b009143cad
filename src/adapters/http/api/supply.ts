// The operations on skills from elsewhere: look, add, install, update, verify, remove, search. A package is taken only with the digest that
// was looked at.

import * as z from "zod";
import { mayTakeUnasked, type PackageOffer } from "../../../engine/engine.ts";
import type { JobControl } from "../jobs.ts";
import { operation } from "./operation.ts";
import { ChangedSchema, ConsentSheetSchema, skillName } from "./schemas.ts";

const text = z.string();
const to = z
  .enum(["user", "project"])
  .exactOptional()
  .describe("Whose folder of skills; the person's unless given.");
const source = text
  .min(1)
  .max(2000)
  .describe("owner/repository, a git address, a folder, an archive, or the address of a SKILL.md.");
const ref = text.min(1).max(300).exactOptional().describe("A branch, tag or commit.");
const names = z.array(skillName).max(1000);
const digests = z
  .array(text.regex(/^[0-9a-f]{64}$/))
  .max(1000)
  .default([])
  .describe("Digests of packages that the person has looked at and agrees to.");

const OfferSchema = z.looseObject({
  name: text,
  path: text.describe("Its folder in the source."),
  plugin: text.optional(),
  state: z.enum(["new", "there"]),
  sheet: ConsentSheetSchema.optional(),
  refusal: z.looseObject({ code: text, message: text }).optional(),
});
const SuppliedSchema = z.looseObject({
  changed: z.array(ChangedSchema),
  same: z.array(text).describe("Skills that were there already, as they should be."),
  refused: z.array(z.looseObject({ name: text, code: text, message: text })),
  batch: text.optional().describe("What one undo takes back together."),
});

const FoundSchema = z.looseObject({
  name: text,
  description: text,
  score: z.number(),
  reasons: z.array(z.looseObject({ signal: text, value: z.number() })),
});
const CatalogSchema = z.looseObject({
  source: text,
  skills: z.int().optional(),
  commit: text.optional(),
  fetchedAt: text.optional(),
  failure: z.looseObject({ code: text, message: text }).optional(),
});

/** Agrees to packages whose digest the person has looked at, never to dangerous ones. */
function agreedTo(seen: readonly string[], also: (offer: PackageOffer) => boolean = () => false) {
  return (offers: readonly PackageOffer[]) =>
    offers.filter(
      (offer) =>
        offer.sheet !== undefined &&
        offer.sheet.verdict !== "dangerous" &&
        (seen.includes(offer.sheet.digest) || also(offer)),
    );
}

const told =
  ({ progress }: JobControl) =>
  (note: string, done: number, total: number) =>
    progress({ note, done, total });

export const SUPPLY_OPERATIONS = [
  operation("post /api/packages/look", {
    id: "lookAtPackages",
    summary: "Fetch a source and show what its skills hold, without writing any of them.",
    job: true,
    refuses: [404, 502],
    body: z.strictObject({ source, ref, to, names: names.optional().describe("All unless given.") }),
    answer: z.looseObject({ source: text, commit: text.optional(), offers: z.array(OfferSchema) }),
    async run({ body }, { engine }, asked) {
      const open = await engine.supply.open(body.source, { ...body, onProgress: told(asked) });
      try {
        const offers = await open.offers(body.names && (await open.choose(body.names)));
        return { source: open.address.source, commit: open.commit, elsewhere: open.elsewhere, offers };
      } finally {
        open.close();
      }
    },
  }),
  operation("post /api/packages", {
    id: "addPackages",
    command: "add",
    summary: "Add skills from elsewhere whose digests were looked at.",
    job: true,
    refuses: [404, 409, 502],
    body: z.strictObject({ source, ref, to, names: names.optional(), digests }),
    answer: SuppliedSchema,
    async run({ body }, { engine }, asked) {
      const open = await engine.supply.open(body.source, { ...body, onProgress: told(asked) });
      try {
        const offers = await open.offers(body.names && (await open.choose(body.names)));
        return await engine.supply.take(open, offers, { to: body.to, agree: agreedTo(body.digests) });
      } finally {
        open.close();
      }
    },
  }),
  operation("post /api/packages/install", {
    id: "installPackages",
    command: "install",
    summary: "Bring every skill of the locks that is missing, exactly as it was locked.",
    job: true,
    refuses: [404, 409, 502],
    body: z.strictObject({
      to,
      frozen: z.boolean().exactOptional().describe("Make everything equal to the locks, edited skills too."),
      digests,
    }),
    answer: SuppliedSchema,
    run: ({ body }, { engine }, asked) =>
      engine.supply.install({
        ...body,
        agree: agreedTo(body.digests, (offer) => body.frozen === true || mayTakeUnasked(offer)),
        onProgress: told(asked),
      }),
  }),
  operation("post /api/packages/update", {
    id: "updatePackages",
    command: "update",
    summary: "Bring what is new at the sources of added skills; with check, only say what is.",
    job: true,
    refuses: [404, 409, 502],
    body: z.strictObject({ names: names.default([]), to, check: z.boolean().exactOptional(), digests }),
    answer: SuppliedSchema.extend({ offers: z.array(OfferSchema) }),
    run: ({ body: { names: wanted, digests: seen, ...options } }, { engine }, asked) =>
      engine.supply.update(wanted, { ...options, agree: agreedTo(seen), onProgress: told(asked) }),
  }),
  operation("get /api/packages", {
    id: "verifyPackages",
    command: "verify",
    summary: "List the skills from elsewhere, and say which differ from their lock.",
    answer: z.looseObject({
      packages: z.array(
        z.looseObject({ name: text, root: text, source: text, state: z.enum(["same", "edited", "missing"]) }),
      ),
    }),
    run: async (_, { engine }) => ({ packages: await engine.supply.verify() }),
  }),
  operation("post /api/packages/remove", {
    id: "removePackages",
    command: "remove",
    summary: "Remove skills that were added from elsewhere; undo brings them back.",
    refuses: [404],
    body: z.strictObject({ names: names.min(1), to }),
    answer: SuppliedSchema,
    run: ({ body }, { engine }) => engine.supply.remove(body.names, body),
  }),
  operation("get /api/search", {
    id: "searchSkills",
    command: "search",
    summary: "Search installed skills and those of catalogs, with the reasons of each match.",
    query: z.strictObject({
      words: text.min(1).max(2000),
      limit: z.coerce.number().int().min(1).max(50).optional(),
    }),
    answer: z.looseObject({
      installed: z.array(FoundSchema),
      catalogs: z.array(FoundSchema.extend({ source: text.describe("Where to add it from.") })),
      missing: z.array(text).describe("Catalogs that were never fetched."),
    }),
    run: ({ query: { words, ...options } }, { engine }) => engine.search(words, options),
  }),
  operation("get /api/catalogs", {
    id: "listCatalogs",
    command: "catalog list",
    summary: "List the catalogs with the number of their skills.",
    answer: z.looseObject({ catalogs: z.array(CatalogSchema) }),
    run: async (_, { engine }) => ({ catalogs: await engine.catalogs.list() }),
  }),
  operation("post /api/catalogs/refresh", {
    id: "refreshCatalogs",
    command: "catalog refresh",
    summary: "Fetch the catalogs again.",
    job: true,
    refuses: [404, 502],
    body: z.strictObject({ source: text.min(1).exactOptional() }),
    answer: z.looseObject({ catalogs: z.array(CatalogSchema) }),
    run: async ({ body }, { engine }, asked) => ({
      catalogs: await engine.catalogs.refresh({ ...body, onProgress: told(asked) }),
    }),
  }),
];
