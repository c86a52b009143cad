// Who may do what in the shared database: roles, claims, tokens, and the policies of row-level security. Part of the schema.

import { EVENT_KINDS, type EventKind } from "../../journal/journal.ts";

/** Roles of a token. Each may do what those before it may. */
export const TOKEN_ROLES = ["reader", "writer", "curator", "owner"] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** Whether a role may do what another one may. */
export function roleIncludes(role: TokenRole, other: TokenRole): boolean {
  return TOKEN_ROLES.indexOf(role) >= TOKEN_ROLES.indexOf(other);
}

/** The database role that all work is done as. It owns nothing and cannot bypass row-level security. */
export const NODE_ROLE = "repertoire_node";

/** Events that say how well something did, or that a skill changed: only writers add them. */
export const JUDGING_KINDS: ReadonlySet<EventKind> = new Set(["outcome", "feedback", "edited", "archived"]);
const JUDGING_NUMBERS = EVENT_KINDS.flatMap((kind, number) => (JUDGING_KINDS.has(kind) ? number : [])).join();

/**
 * Who asks, and for what. A claim is a token, or, for a login that owns the schema, the name of a scope. Both are set for one
 * transaction only, so a pool that gives each transaction another connection mixes up nothing.
 */
export const CLAIMS = `
  CREATE TABLE repertoire.scopes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation text COLLATE "C" NOT NULL CHECK (organisation <> ''),
    project text COLLATE "C" NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation, project)
  );
  COMMENT ON TABLE repertoire.scopes IS 'An organisation (empty project) or one of its projects.';
  CREATE TABLE repertoire.tokens (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    name text NOT NULL,
    rank smallint NOT NULL CHECK (rank BETWEEN 1 AND ${TOKEN_ROLES.length}),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
  );
  CREATE TABLE repertoire.settings (key text PRIMARY KEY, value text NOT NULL);

  CREATE FUNCTION repertoire.is_admin() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_has_role(session_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'repertoire'), 'MEMBER')
  $$;

  CREATE FUNCTION repertoire.claim(OUT scope bigint, OUT rank smallint, OUT token text) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE given text := current_setting('repertoire.token', true); claimed text := current_setting('repertoire.scope', true);
    BEGIN
      IF given <> '' THEN
        SELECT t.scope, t.rank, t.id INTO scope, rank, token FROM repertoire.tokens t
          WHERE t.hash = sha256(convert_to(given, 'UTF8')) AND t.revoked_at IS NULL
            AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp());
      ELSIF claimed <> '' AND repertoire.is_admin() THEN
        SELECT s.id, ${TOKEN_ROLES.length} INTO scope, rank FROM repertoire.scopes s
          WHERE s.organisation = split_part(claimed, '/', 1)
            AND s.project = CASE WHEN strpos(claimed, '/') = 0 THEN '' ELSE substr(claimed, strpos(claimed, '/') + 1) END;
      END IF;
    END
  $$;
  /** Fails for a claim that is none, so that nobody takes an empty answer for the truth. */
  CREATE FUNCTION repertoire.enter() RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF (SELECT scope FROM repertoire.claim()) IS NULL THEN RAISE 'no such claim' USING ERRCODE = 'RP002'; END IF;
    END
  $$;
  CREATE FUNCTION repertoire.scope() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT scope FROM repertoire.claim()';
  CREATE FUNCTION repertoire.rank() RETURNS smallint LANGUAGE sql STABLE AS 'SELECT coalesce(rank, 0::smallint) FROM repertoire.claim()';
  /** The scope of the claim and, for a project, its organisation's: the skills of both are read. */
  CREATE FUNCTION repertoire.readable() RETURNS bigint[] LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(s.id) FROM repertoire.scopes s JOIN repertoire.scopes own
      ON own.organisation = s.organisation AND s.project IN ('', own.project)
      WHERE own.id = (SELECT scope FROM repertoire.claim())
  $$;
`;

/** Made and taken back by the schema's owner, or by an owner's token within its organisation or project. */
export const TOKENS = `
  /** The scope that may be administered, made if it is missing; an error for who may not. An owner of an organisation may all of it. */
  CREATE FUNCTION repertoire.own_scope(of_organisation text, of_project text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE own record; found bigint;
    BEGIN
      SELECT c.rank, s.organisation, s.project INTO own FROM repertoire.claim() c LEFT JOIN repertoire.scopes s ON s.id = c.scope;
      IF NOT (coalesce(current_setting('repertoire.token', true), '') = '' AND repertoire.is_admin()) AND (own.rank IS NULL
        OR own.rank < ${TOKEN_ROLES.length} OR own.organisation <> of_organisation OR own.project NOT IN ('', of_project))
      THEN RAISE insufficient_privilege USING MESSAGE = 'only an owner may do this'; END IF;
      INSERT INTO repertoire.scopes (organisation, project) VALUES (of_organisation, of_project) ON CONFLICT DO NOTHING;
      SELECT id INTO found FROM repertoire.scopes WHERE organisation = of_organisation AND project = of_project;
      RETURN found;
    END
  $$;
  CREATE FUNCTION repertoire.create_token(of_organisation text, of_project text, token_id text, token_hash bytea, token_name text,
    token_rank smallint, lives interval) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO repertoire.tokens (id, hash, scope, name, rank, expires_at)
      VALUES (token_id, token_hash, repertoire.own_scope(of_organisation, of_project), token_name, token_rank, now() + lives)
  $$;
  CREATE FUNCTION repertoire.list_tokens() RETURNS TABLE (id text, organisation text, project text, name text, rank smallint,
    created_at timestamptz, expires_at timestamptz, revoked_at timestamptz) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id, s.organisation, s.project, t.name, t.rank, t.created_at, t.expires_at, t.revoked_at
      FROM repertoire.tokens t JOIN repertoire.scopes s ON s.id = t.scope, repertoire.claim() c LEFT JOIN repertoire.scopes own ON own.id = c.scope
      WHERE (coalesce(current_setting('repertoire.token', true), '') = '' AND repertoire.is_admin())
        OR (c.rank = ${TOKEN_ROLES.length} AND own.organisation = s.organisation AND own.project IN ('', s.project))
      ORDER BY t.created_at, t.id
  $$;
  CREATE FUNCTION repertoire.revoke_token(token_id text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM repertoire.list_tokens() t WHERE t.id = token_id AND t.revoked_at IS NULL) THEN RETURN false; END IF;
      UPDATE repertoire.tokens SET revoked_at = now() WHERE id = token_id;
      RETURN true;
    END
  $$;
`;

/** Who may read and write the rows of a table, as ranks (see `TOKEN_ROLES`). `inherits`: a project reads its organisation's rows. */
const RIGHTS: readonly {
  readonly table: string;
  readonly insert?: number;
  readonly update?: number;
  readonly remove?: number;
  readonly inherits?: boolean;
  /** More that a new row must fulfil. */
  readonly check?: string;
}[] = [
  { table: "changes", inherits: true },
  { table: "blob_rights", remove: 3, inherits: true },
  {
    table: "versions",
    insert: 2,
    inherits: true,
    check: "(action NOT IN ('delete', 'rename', 'pin', 'unpin') OR (SELECT repertoire.rank()) >= 3)",
  },
  { table: "heads", inherits: true },
  { table: "redirects", insert: 2, update: 2, remove: 2, inherits: true },
  { table: "pending", insert: 2, remove: 2 },
  {
    table: "events",
    insert: 1,
    remove: 3,
    check: `(kind NOT IN (${JUDGING_NUMBERS}) OR (SELECT repertoire.rank()) >= 2)`,
  },
  { table: "batches", insert: 1, remove: 3 },
  { table: "spools", insert: 1, update: 1, remove: 1 },
  { table: "counted", insert: 2, update: 2 },
  { table: "tallies", insert: 2, update: 2, remove: 3 },
  { table: "weeks", insert: 2, update: 2, remove: 3 },
  { table: "episodes", insert: 2, update: 2, remove: 3 },
  { table: "said", insert: 1, remove: 3 },
  { table: "sessions", insert: 1, update: 1, remove: 3 },
  { table: "session_steps", insert: 1, remove: 3 },
  { table: "remembered", insert: 2, update: 2, remove: 2 },
  { table: "tasks", insert: 1, remove: 1 },
  { table: "consents", insert: 1, update: 1, remove: 1 },
  { table: "trust", insert: 3, update: 3, remove: 3 },
  { table: "proposals", insert: 3, update: 3 },
  { table: "meta", insert: 2, update: 2, remove: 2 },
  {
    table: "leases",
    insert: 2,
    update: 2,
    remove: 2,
    check: "(name <> 'dream' OR (SELECT repertoire.rank()) >= 3)",
  },
  { table: "evaluation_cases", insert: 2, update: 2, remove: 2 },
  { table: "vectors", insert: 2, update: 2, remove: 2, inherits: true },
  { table: "snapshots", insert: 2, update: 2, remove: 2, inherits: true },
];

const OWN = "scope = (SELECT repertoire.scope())";

export function rightsSql(): string {
  const atLeast = (rank: number) => `${OWN} AND (SELECT repertoire.rank()) >= ${rank}`;
  const policies = RIGHTS.flatMap(({ table, insert, update, remove, inherits, check }) => {
    const of = `repertoire.${table}`;
    const grants = [
      "SELECT",
      ...(insert === undefined ? [] : ["INSERT"]),
      ...(update === undefined ? [] : ["UPDATE"]),
      ...(remove === undefined ? [] : ["DELETE"]),
    ];
    const read = inherits ? "scope = ANY ((SELECT repertoire.readable())::bigint[])" : OWN;
    const also = check === undefined ? "" : ` AND ${check}`;
    return [
      `ALTER TABLE ${of} ENABLE ROW LEVEL SECURITY`,
      `GRANT ${grants.join(", ")} ON ${of} TO ${NODE_ROLE}`,
      `CREATE POLICY reading ON ${of} FOR SELECT TO ${NODE_ROLE} USING (${read})`,
      ...(insert === undefined
        ? []
        : [
            `CREATE POLICY adding ON ${of} FOR INSERT TO ${NODE_ROLE} WITH CHECK (${atLeast(insert)}${also})`,
          ]),
      ...(update === undefined
        ? []
        : [`CREATE POLICY changing ON ${of} FOR UPDATE TO ${NODE_ROLE} USING (${atLeast(update)})`]),
      ...(remove === undefined
        ? []
        : [`CREATE POLICY removing ON ${of} FOR DELETE TO ${NODE_ROLE} USING (${atLeast(remove)})`]),
    ];
  });
  const functions = [
    "claim()",
    "enter()",
    "scope()",
    "rank()",
    "readable()",
    "is_admin()",
    "take_numbers(text, bigint)",
    "put_blob(bytea)",
    "make_partitions()",
    "drop_partitions()",
    "drop_bytes()",
    "own_scope(text, text)",
    "create_token(text, text, text, bytea, text, smallint, interval)",
    "list_tokens()",
    "revoke_token(text)",
  ];
  return [
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA repertoire FROM PUBLIC",
    `GRANT USAGE ON SCHEMA repertoire TO ${NODE_ROLE}`,
    ...policies,
    ...["scopes", "tokens", "settings", "sequences", "blobs"].map(
      (table) => `ALTER TABLE repertoire.${table} ENABLE ROW LEVEL SECURITY`,
    ),
    `GRANT SELECT ON repertoire.scopes, repertoire.blobs, repertoire.migrations TO ${NODE_ROLE}`,
    `CREATE POLICY reading ON repertoire.scopes FOR SELECT TO ${NODE_ROLE} USING (id = ANY ((SELECT repertoire.readable())::bigint[]))`,
    `CREATE POLICY reading ON repertoire.blobs FOR SELECT TO ${NODE_ROLE} USING (EXISTS (SELECT FROM repertoire.blob_rights r
      WHERE r.sha256 = blobs.sha256 AND r.scope = ANY ((SELECT repertoire.readable())::bigint[])))`,
    ...functions.map((each) => `GRANT EXECUTE ON FUNCTION repertoire.${each} TO ${NODE_ROLE}`),
    "SELECT repertoire.make_partitions()",
  ].join(";\n");
}
