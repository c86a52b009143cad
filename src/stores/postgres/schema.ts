// The schema of the PostgreSQL store as numbered steps. A released step is never edited, and each only adds: a node of the
// version before works on the schema of the next one.

import { CLAIMS, rightsSql, TOKENS } from "./rights.ts";
import { STRICTER } from "./stricter.ts";

/** Numbers that grow by one in the order of commits: taking one locks its row until the transaction ends. */
const NUMBERS = `
  CREATE TABLE repertoire.sequences (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    name text NOT NULL CHECK (name IN ('events', 'said', 'changes', 'proposals', 'tasks')),
    last bigint NOT NULL,
    PRIMARY KEY (scope, name)
  );
  CREATE FUNCTION repertoire.take_numbers(wanted text, many bigint) RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO repertoire.sequences AS s (scope, name, last) SELECT scope, wanted, many FROM repertoire.claim() WHERE scope IS NOT NULL
      ON CONFLICT (scope, name) DO UPDATE SET last = s.last + many RETURNING last
  $$;
`;

/**
 * The log of changes that nodes follow. Its numbers are in the order of commits, so whoever has read up to one has missed
 * nothing, however long a transaction took.
 */
const CHANGES = `
  CREATE TABLE repertoire.changes (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, seq)
  );
  CREATE FUNCTION repertoire.log_change(of bigint, seq bigint, kind text, subject text) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      INSERT INTO repertoire.changes (scope, seq, kind, subject) VALUES (of, seq, kind, subject);
      PERFORM pg_notify('repertoire_' || of, seq::text);
    END
  $$;
  /** For tables whose rows are small facts: only that something changed is logged. */
  CREATE FUNCTION repertoire.log_table() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE own bigint := (SELECT scope FROM repertoire.claim());
    BEGIN
      IF own IS NOT NULL THEN PERFORM repertoire.log_change(own, repertoire.take_numbers('changes', 1), TG_ARGV[0], ''); END IF;
      RETURN NULL;
    END
  $$;
`;

const LEARNED = `
  CREATE TABLE repertoire.blobs (sha256 bytea PRIMARY KEY, bytes bytea NOT NULL);
  ALTER TABLE repertoire.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE repertoire.blob_rights (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    sha256 bytea NOT NULL REFERENCES repertoire.blobs (sha256),
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, sha256)
  );
  CREATE INDEX blob_rights_by_blob ON repertoire.blob_rights (sha256);
  /** Only who has the bytes gets the right to them: naming a digest is not enough. */
  CREATE FUNCTION repertoire.put_blob(given bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE who record;
    BEGIN
      SELECT * INTO who FROM repertoire.claim();
      IF coalesce(who.rank, 0) < 2 THEN RAISE insufficient_privilege USING MESSAGE = 'only a writer may put bytes'; END IF;
      INSERT INTO repertoire.blobs (sha256, bytes) VALUES (sha256(given), given) ON CONFLICT DO NOTHING;
      INSERT INTO repertoire.blob_rights (scope, sha256) VALUES (who.scope, sha256(given))
        ON CONFLICT (scope, sha256) DO UPDATE SET at = now();
    END
  $$;
  /** Removes bytes that no scope has a right to any more; says how many. */
  CREATE FUNCTION repertoire.drop_bytes() RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    WITH unused AS (SELECT b.sha256 FROM repertoire.blobs b
      WHERE NOT EXISTS (SELECT FROM repertoire.blob_rights r WHERE r.sha256 = b.sha256) FOR UPDATE SKIP LOCKED LIMIT 10000),
    dropped AS (DELETE FROM repertoire.blobs b USING unused u WHERE b.sha256 = u.sha256 RETURNING 1)
    SELECT count(*) FROM dropped
  $$;

  CREATE TABLE repertoire.versions (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    seq bigint NOT NULL DEFAULT 0,
    id text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL DEFAULT '',
    name text COLLATE "C" NOT NULL,
    root text COLLATE "C" NOT NULL DEFAULT '',
    action text NOT NULL,
    parent text,
    batch text,
    record text NOT NULL,
    PRIMARY KEY (scope, id),
    UNIQUE (scope, seq)
  );
  COMMENT ON COLUMN repertoire.versions.node IS 'The node whose folder root is; empty for skills that all nodes share.';
  CREATE INDEX versions_by_place ON repertoire.versions (scope, name, root, node, seq);
  CREATE INDEX versions_by_batch ON repertoire.versions (scope, batch) WHERE batch IS NOT NULL;
  CREATE TABLE repertoire.heads (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    node text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    root text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, name, root, node)
  );
  CREATE INDEX heads_by_seq ON repertoire.heads (scope, seq);
  CREATE TABLE repertoire.redirects (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    reason text,
    PRIMARY KEY (scope, source)
  );
  CREATE TABLE repertoire.pending (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    node text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    record text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, node, id)
  );
  /** Numbers a version in the order of commits, refuses one whose parent is not the newest, and makes it the newest. */
  CREATE FUNCTION repertoire.take_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE newest text;
    BEGIN
      -- Before anything is said about the skill: the check of the policy comes after this.
      IF NEW.scope IS DISTINCT FROM (SELECT scope FROM repertoire.claim()) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a version of another scope';
      END IF;
      PERFORM repertoire.take_numbers('changes', 0);
      -- A version that is there already is left alone.
      IF EXISTS (SELECT FROM repertoire.versions v WHERE v.scope = NEW.scope AND v.id = NEW.id) THEN RETURN NULL; END IF;
      NEW.seq := repertoire.take_numbers('changes', 1);
      SELECT id INTO newest FROM repertoire.heads h
        WHERE h.scope = NEW.scope AND h.name = NEW.name AND h.root = NEW.root AND h.node = NEW.node;
      IF NEW.parent IS NOT NULL AND NEW.parent IS DISTINCT FROM newest THEN
        RAISE EXCEPTION 'version % of % has the parent %, the newest is %', NEW.id, NEW.name, NEW.parent, newest
          USING ERRCODE = 'RP001', DETAIL = coalesce(newest, '');
      END IF;
      INSERT INTO repertoire.heads (scope, node, name, root, seq, id) VALUES (NEW.scope, NEW.node, NEW.name, NEW.root, NEW.seq, NEW.id)
        ON CONFLICT (scope, name, root, node) DO UPDATE SET seq = excluded.seq, id = excluded.id;
      PERFORM repertoire.log_change(NEW.scope, NEW.seq, 'version', NEW.id);
      RETURN NEW;
    END
  $$;
  CREATE TRIGGER take_version BEFORE INSERT ON repertoire.versions FOR EACH ROW EXECUTE FUNCTION repertoire.take_version();
`;

/** Events are partitioned by the month in which they arrived, so that an odd clock makes no odd partition. */
const JOURNAL = `
  CREATE TABLE repertoire.events (
    scope bigint NOT NULL,
    seq bigint NOT NULL,
    received timestamptz NOT NULL DEFAULT now(),
    batch text NOT NULL,
    at bigint NOT NULL,
    kind smallint NOT NULL,
    session text COLLATE "C" NOT NULL DEFAULT '',
    agent text NOT NULL DEFAULT '',
    host text NOT NULL DEFAULT '',
    turn bigint,
    skill text COLLATE "C",
    digest text COLLATE "C" NOT NULL DEFAULT '',
    details text
  ) PARTITION BY RANGE (received);
  CREATE INDEX events_by_seq ON repertoire.events (scope, seq);
  CREATE INDEX events_by_session ON repertoire.events (scope, session, turn, kind);
  CREATE INDEX events_by_skill ON repertoire.events (scope, skill, kind);
  CREATE INDEX events_by_time ON repertoire.events (scope, at);
  CREATE INDEX events_by_batch ON repertoire.events (scope, batch);

  /** Makes the partition of a month and of the next one; whoever needs them may call it. */
  CREATE FUNCTION repertoire.make_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE month timestamptz; part text;
    BEGIN
      FOR step IN 0..1 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + make_interval(months => step);
        month := date_trunc('month', month AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
        part := 'events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
        CONTINUE WHEN to_regclass('repertoire.' || part) IS NOT NULL;
        PERFORM pg_advisory_xact_lock(hashtext('repertoire.make_partitions'));
        CONTINUE WHEN to_regclass('repertoire.' || part) IS NOT NULL;
        EXECUTE format('CREATE TABLE repertoire.%I (LIKE repertoire.events INCLUDING DEFAULTS)', part);
        EXECUTE format('ALTER TABLE repertoire.%I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE repertoire.events ATTACH PARTITION repertoire.%I FOR VALUES FROM (%L) TO (%L)', part, month,
          (date_trunc('month', month AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
      END LOOP;
    END
  $$;
  /** Drops the partitions whose events are all older than the setting keep.events says, in days; says how many. */
  CREATE FUNCTION repertoire.drop_partitions() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    DECLARE part text; dropped integer := 0; keep integer;
    BEGIN
      SELECT coalesce((SELECT value::integer FROM repertoire.settings WHERE key = 'keep.events'), 400) INTO keep;
      FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'repertoire.events'::regclass
          AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < (now() AT TIME ZONE 'UTC') - make_interval(days => keep)
      LOOP
        EXECUTE format('DROP TABLE repertoire.%I', part);
        dropped := dropped + 1;
      END LOOP;
      RETURN dropped;
    END
  $$;

  /** What a client sent once counts once, however often it sends it. */
  CREATE TABLE repertoire.batches (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, id)
  );
  /** Up to which byte the files that a node keeps while the database is away were taken over. */
  CREATE TABLE repertoire.spools (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    node text COLLATE "C" NOT NULL,
    file text COLLATE "C" NOT NULL,
    taken bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, node, file)
  );
  /** Up to which event tallies, weeks and episodes were counted. */
  CREATE TABLE repertoire.counted (
    scope bigint PRIMARY KEY REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    seq bigint NOT NULL
  );
  CREATE TABLE repertoire.tallies (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    parent text,
    instructions text NOT NULL DEFAULT '',
    recalled bigint NOT NULL DEFAULT 0,
    shown bigint NOT NULL DEFAULT 0,
    activated bigint NOT NULL DEFAULT 0,
    successes bigint NOT NULL DEFAULT 0,
    failures bigint NOT NULL DEFAULT 0,
    neutrals bigint NOT NULL DEFAULT 0,
    tries bigint NOT NULL DEFAULT 0,
    worked bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    weight_of_successes double precision NOT NULL DEFAULT 0,
    weight_of_failures double precision NOT NULL DEFAULT 0,
    weighed_at bigint NOT NULL DEFAULT 0,
    last_used_at bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, name, digest)
  );
  CREATE INDEX tallies_by_use ON repertoire.tallies (scope, last_used_at);
  CREATE TABLE repertoire.weeks (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    week bigint NOT NULL,
    recalled bigint NOT NULL DEFAULT 0,
    shown bigint NOT NULL DEFAULT 0,
    activated bigint NOT NULL DEFAULT 0,
    successes bigint NOT NULL DEFAULT 0,
    failures bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, name, week)
  );
  CREATE TABLE repertoire.episodes (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    session text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    times bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (scope, session, name, digest)
  );
  CREATE INDEX episodes_by_name ON repertoire.episodes (scope, name, session);
  CREATE TABLE repertoire.said (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    session text COLLATE "C" NOT NULL,
    turn bigint NOT NULL,
    role text NOT NULL,
    text text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (scope, seq)
  );
  CREATE INDEX said_by_session ON repertoire.said (scope, session, turn);
  CREATE INDEX said_by_time ON repertoire.said (scope, at);
  CREATE TABLE repertoire.sessions (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    last bigint NOT NULL DEFAULT 0,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE repertoire.session_steps (
    scope bigint NOT NULL,
    session text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    step text NOT NULL,
    PRIMARY KEY (scope, session, number),
    FOREIGN KEY (scope, session) REFERENCES repertoire.sessions (scope, id) ON DELETE CASCADE
  );
  CREATE TABLE repertoire.remembered (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY,
    skill text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    session text,
    turn bigint,
    at bigint NOT NULL,
    weight double precision NOT NULL,
    text text NOT NULL,
    terms text NOT NULL,
    PRIMARY KEY (scope, id)
  );
  CREATE INDEX remembered_by_skill ON repertoire.remembered (scope, skill);
`;

const DECISIONS = `
  CREATE TABLE repertoire.tasks (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    agent text,
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE repertoire.consents (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    task text COLLATE "C" NOT NULL,
    skill text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    at bigint NOT NULL,
    files text NOT NULL,
    PRIMARY KEY (scope, task, skill)
  );
  CREATE TABLE repertoire.trust (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    digest text COLLATE "C" NOT NULL,
    skill text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    source text,
    PRIMARY KEY (scope, digest, skill)
  );
  CREATE TABLE repertoire.proposals (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    number bigint NOT NULL,
    state text NOT NULL,
    change_hash text NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (scope, number)
  );
  CREATE INDEX proposals_by_state ON repertoire.proposals (scope, state);
  CREATE INDEX proposals_by_change ON repertoire.proposals (scope, change_hash);
  CREATE TABLE repertoire.meta (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (scope, key)
  );
  CREATE TABLE repertoire.leases (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    holder text NOT NULL,
    fence bigint NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (scope, name)
  );
  CREATE TABLE repertoire.evaluation_cases (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE repertoire.vectors (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    model text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (scope, model, digest)
  );
  CREATE TABLE repertoire.snapshots (
    scope bigint NOT NULL REFERENCES repertoire.scopes (id) ON DELETE CASCADE,
    format text COLLATE "C" NOT NULL,
    change bigint NOT NULL,
    bytes bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, format)
  );
  COMMENT ON COLUMN repertoire.snapshots.change IS 'The number of the last change that the snapshot has.';
  ALTER TABLE repertoire.snapshots ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TRIGGER log_trust AFTER INSERT OR UPDATE OR DELETE ON repertoire.trust
    FOR EACH STATEMENT EXECUTE FUNCTION repertoire.log_table('trust');
  CREATE TRIGGER log_remembered AFTER INSERT OR UPDATE OR DELETE ON repertoire.remembered
    FOR EACH STATEMENT EXECUTE FUNCTION repertoire.log_table('remembered');
  CREATE TRIGGER log_proposals AFTER INSERT OR UPDATE ON repertoire.proposals
    FOR EACH STATEMENT EXECUTE FUNCTION repertoire.log_table('proposals');
`;

/** One step of the schema. */
export interface Migration {
  readonly sql: string;
  /** The oldest program that works on the schema from here on, by the number of the last step that it knows. */
  readonly oldest: number;
}

/** `MIGRATIONS[n - 1]` brings a database from step n - 1 to n. */
export const MIGRATIONS: readonly Migration[] = [
  { sql: [CLAIMS, NUMBERS, CHANGES, LEARNED, JOURNAL, DECISIONS, TOKENS, rightsSql()].join("\n"), oldest: 1 },
  { sql: STRICTER, oldest: 1 },
];
