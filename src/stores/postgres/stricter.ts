// The second step of the schema: what raw SQL could still do within its own scope above its role is refused. Nodes of the
// version before write nothing that this refuses.

import { NODE_ROLE } from "./rights.ts";

const OWN = "scope = (SELECT repertoire.scope())";
const atLeast = (rank: number) => `${OWN} AND (SELECT repertoire.rank()) >= ${rank}`;

/** Numbers go forward, by what a transaction may need, and only for who may write what they count. */
const NUMBERS = `
  CREATE OR REPLACE FUNCTION repertoire.take_numbers(wanted text, many bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE who record; taken bigint;
    BEGIN
      SELECT * INTO who FROM repertoire.claim();
      IF who.scope IS NULL THEN RETURN NULL; END IF;
      IF who.rank < (CASE wanted WHEN 'changes' THEN 2 WHEN 'proposals' THEN 3 ELSE 1 END) OR many NOT BETWEEN 0 AND 1000000 THEN
        RAISE insufficient_privilege USING MESSAGE = format('only a role that may write %s takes their numbers', wanted);
      END IF;
      INSERT INTO repertoire.sequences AS s (scope, name, last) VALUES (who.scope, wanted, many)
        ON CONFLICT (scope, name) DO UPDATE SET last = s.last + many RETURNING last INTO taken;
      RETURN taken;
    END
  $$;
  CREATE FUNCTION repertoire.last_number(wanted text) RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(last), 0) FROM repertoire.sequences WHERE scope = (SELECT scope FROM repertoire.claim()) AND name = wanted
  $$;
  REVOKE ALL ON FUNCTION repertoire.last_number(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION repertoire.last_number(text) TO ${NODE_ROLE};
`;

/** The columns decide who may, and nodes read the record: both say the same. */
const VERSIONS = `
  /** Text of a record may have escapes that no text of PostgreSQL can have: zero characters and halves of pairs. */
  CREATE FUNCTION repertoire.read_record(record text) RETURNS json LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT regexp_replace(record, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::json
  $$;
  REVOKE ALL ON FUNCTION repertoire.read_record(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION repertoire.read_record(text) TO ${NODE_ROLE};
  CREATE FUNCTION repertoire.check_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE said json; newest text;
    BEGIN
      IF NEW.scope IS DISTINCT FROM (SELECT scope FROM repertoire.claim()) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a version of another scope';
      END IF;
      said := repertoire.read_record(NEW.record);
      IF (said ->> 'id', said ->> 'name', said ->> 'action', said ->> 'parent', coalesce(said #>> '{data,root}', ''))
        IS DISTINCT FROM (NEW.id, NEW.name, NEW.action, NEW.parent, NEW.root) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only a version whose record says what its columns say is kept';
      END IF;
      IF NEW.action = 'save' AND (SELECT rank FROM repertoire.claim()) < 3 AND json_array_length(said -> 'files') = 0 THEN
        PERFORM repertoire.take_numbers('changes', 0);
        SELECT v.record INTO newest FROM repertoire.heads h JOIN repertoire.versions v ON v.scope = h.scope AND v.id = h.id
          WHERE h.scope = NEW.scope AND h.name = NEW.name AND h.root = NEW.root AND h.node = NEW.node;
        IF json_array_length(repertoire.read_record(newest) -> 'files') > 0 THEN
          RAISE insufficient_privilege USING MESSAGE = 'only a curator may delete a skill';
        END IF;
      END IF;
      RETURN NEW;
    END
  $$;
  REVOKE ALL ON FUNCTION repertoire.check_version() FROM PUBLIC;
  CREATE TRIGGER check_version BEFORE INSERT ON repertoire.versions FOR EACH ROW EXECUTE FUNCTION repertoire.check_version();
`;

const LEASE = `${atLeast(2)} AND (name <> 'dream' OR (SELECT repertoire.rank()) >= 3)`;
/** A lease ends by itself soon after its holder is gone. */
const SHORT = "until < clock_timestamp() + interval '1 hour'";
const REDIRECT = `${atLeast(2)} AND EXISTS (SELECT FROM repertoire.versions v WHERE v.scope = redirects.scope
  AND v.name = redirects.source AND repertoire.read_record(v.record) #>> '{data,to}' = redirects.target)`;
const SNAPSHOT = `${atLeast(2)} AND change <= (SELECT repertoire.last_number('changes'))`;

const POLICIES = [
  `ALTER POLICY changing ON repertoire.leases USING (${LEASE}) WITH CHECK (${LEASE} AND ${SHORT})`,
  `ALTER POLICY removing ON repertoire.leases USING (${LEASE})`,
  `ALTER POLICY adding ON repertoire.leases WITH CHECK (${LEASE} AND ${SHORT})`,
  // An event with a number of the future would keep all that follow from being counted.
  `CREATE POLICY numbered ON repertoire.events AS RESTRICTIVE FOR INSERT TO ${NODE_ROLE}
    WITH CHECK (seq BETWEEN 1 AND (SELECT repertoire.last_number('events')))`,
  `ALTER POLICY adding ON repertoire.redirects WITH CHECK (${REDIRECT})`,
  `ALTER POLICY changing ON repertoire.redirects USING (${atLeast(2)}) WITH CHECK (${REDIRECT})`,
  `ALTER POLICY adding ON repertoire.snapshots WITH CHECK (${SNAPSHOT})`,
  `ALTER POLICY changing ON repertoire.snapshots USING (${atLeast(2)}) WITH CHECK (${SNAPSHOT})`,
];

export const STRICTER = [NUMBERS, VERSIONS, ...POLICIES].join(";\n");
