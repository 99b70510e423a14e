-- The structure of a new store. No program reads this file: `npm run docs` writes it from what the migrations make.
-- A table is followed by its indexes and its triggers.

CREATE SEQUENCE product_template_id;

CREATE TABLE product_attempt (
  subject text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  time_ends timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (subject)
);

CREATE TABLE product_audit (
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  time_recorded timestamp(6) with time zone NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C",
  client_id text COLLATE "C",
  actor_name text COLLATE "C",
  address text COLLATE "C",
  target_kind text COLLATE "C" NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  details text COLLATE "C" NOT NULL,
  PRIMARY KEY (sequence)
);

CREATE INDEX product_audit_target ON product_audit USING btree (target_id, action, sequence);

CREATE TRIGGER product_audit_refuse BEFORE DELETE OR UPDATE OR TRUNCATE ON product_audit
  FOR EACH STATEMENT EXECUTE FUNCTION product_audit_refuse();
ALTER TABLE product_audit ENABLE ALWAYS TRIGGER product_audit_refuse;

CREATE TABLE product_authorization_code (
  hash text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  token_epoch integer NOT NULL,
  redirect_uri text COLLATE "C" NOT NULL,
  challenge text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  time_used timestamp(6) with time zone,
  family_id text COLLATE "C",
  nonce text COLLATE "C",
  time_authenticated timestamp(6) with time zone,
  resource text COLLATE "C",
  FOREIGN KEY (client_id) REFERENCES product_client(id) ON DELETE CASCADE,
  PRIMARY KEY (hash),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE INDEX product_authorization_code_by_time_expires ON product_authorization_code USING btree (time_expires);

CREATE TABLE product_client (
  id text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  grant_types text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_modified timestamp(6) with time zone NOT NULL,
  time_disabled timestamp(6) with time zone,
  may_introspect integer DEFAULT 0 NOT NULL,
  previous_secret_hash text COLLATE "C",
  time_previous_expires timestamp(6) with time zone,
  is_public integer DEFAULT 0 NOT NULL,
  first_party integer DEFAULT 0 NOT NULL,
  redirect_uris text COLLATE "C" DEFAULT ''::text NOT NULL,
  display_name text COLLATE "C" DEFAULT ''::text NOT NULL,
  token_epoch integer DEFAULT 0 NOT NULL,
  CHECK (first_party = ANY (ARRAY[0, 1])),
  CHECK (is_public = ANY (ARRAY[0, 1])),
  CHECK (may_introspect = ANY (ARRAY[0, 1])),
  PRIMARY KEY (id)
);

CREATE TRIGGER product_version_delete AFTER DELETE ON product_client
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('access');
ALTER TABLE product_client ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_truncate AFTER TRUNCATE ON product_client
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_client ENABLE ALWAYS TRIGGER product_version_truncate;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_client
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.time_disabled IS DISTINCT FROM new.time_disabled OR old.token_epoch IS DISTINCT FROM new.token_epoch) EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_client ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_consent (
  user_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  FOREIGN KEY (client_id) REFERENCES product_client(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, client_id),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE TABLE product_idempotency (
  key text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  result text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (key)
);

CREATE INDEX product_idempotency_by_time ON product_idempotency USING btree (time_created);

CREATE TABLE product_identity (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (issuer, subject),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE INDEX product_identity_user ON product_identity USING btree (user_id);

CREATE TABLE product_media (
  source text COLLATE "C" NOT NULL,
  small integer NOT NULL,
  hash text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  size integer NOT NULL,
  bytes bytea NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (source, small),
  CHECK (small = ANY (ARRAY[0, 1]))
);

CREATE INDEX product_media_age ON product_media USING btree (small, time_created, size);

CREATE INDEX product_media_hash ON product_media USING btree (hash);

CREATE TABLE product_migration (
  name text NOT NULL,
  timestamp text NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE product_migration_step (
  name text NOT NULL,
  time text NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE product_passkey (
  id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  public_key text COLLATE "C" NOT NULL,
  counter bigint NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_used timestamp(6) with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE INDEX product_passkey_user ON product_passkey USING btree (user_id);

CREATE TABLE product_passkey_challenge (
  hash text COLLATE "C" NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (hash)
);

CREATE TABLE product_password_link (
  hash text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  token_epoch integer NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (hash),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE TABLE product_provider_login (
  hash text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  verifier text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (hash)
);

CREATE TABLE product_refresh_token (
  hash text COLLATE "C" NOT NULL,
  family_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  time_used timestamp(6) with time zone,
  FOREIGN KEY (family_id) REFERENCES product_token_family(id) ON DELETE CASCADE,
  PRIMARY KEY (hash),
  UNIQUE (family_id, generation)
);

CREATE TABLE product_revision (
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  template_id integer NOT NULL,
  number integer NOT NULL,
  action text COLLATE "C" NOT NULL,
  hash text COLLATE "C",
  subject text COLLATE "C",
  client_id text COLLATE "C",
  message text COLLATE "C",
  time_recorded timestamp(6) with time zone NOT NULL,
  position bigint,
  author_name text COLLATE "C",
  PRIMARY KEY (sequence)
);

CREATE INDEX product_revision_hash ON product_revision USING btree (hash) WHERE hash IS NOT NULL;

CREATE UNIQUE INDEX product_revision_key ON product_revision USING btree (template_id, number);

CREATE UNIQUE INDEX product_revision_position ON product_revision USING btree ("position");

CREATE INDEX product_revision_unhashed ON product_revision USING btree (sequence)
  WHERE hash IS NULL AND action <> 'DELETE'::text;

CREATE INDEX product_revision_unpublished ON product_revision USING btree ("position", sequence)
  WHERE "position" IS NULL;

CREATE TRIGGER product_version_delete AFTER DELETE ON product_revision
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_revision ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_update AFTER UPDATE OF template_id, number, action, subject, client_id, message, time_recorded ON product_revision
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('templates');
ALTER TABLE product_revision ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_revoked_token (
  jti text COLLATE "C" NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (jti)
);

CREATE TRIGGER product_version_insert AFTER INSERT ON product_revoked_token
  REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('access');
ALTER TABLE product_revoked_token ENABLE ALWAYS TRIGGER product_version_insert;

CREATE TABLE product_search (
  template_id integer NOT NULL,
  terms tsvector NOT NULL,
  PRIMARY KEY (template_id)
);

CREATE INDEX product_search_terms ON product_search USING gin (terms);

CREATE TABLE product_session (
  hash text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  token_epoch integer NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_used timestamp(6) with time zone NOT NULL,
  browser text COLLATE "C",
  PRIMARY KEY (hash),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE INDEX product_session_by_time_created ON product_session USING btree (time_created);

CREATE INDEX product_session_by_user_id ON product_session USING btree (user_id);

CREATE TABLE product_signing_key (
  id text COLLATE "C" NOT NULL,
  algorithm text COLLATE "C" NOT NULL,
  private_jwk text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_activated timestamp(6) with time zone,
  time_retired timestamp(6) with time zone,
  access_token_ttl integer,
  PRIMARY KEY (id)
);

CREATE TRIGGER product_version_delete AFTER DELETE ON product_signing_key
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('access');
ALTER TABLE product_signing_key ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_truncate AFTER TRUNCATE ON product_signing_key
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_signing_key ENABLE ALWAYS TRIGGER product_version_truncate;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_signing_key
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.private_jwk IS DISTINCT FROM new.private_jwk OR old.time_retired IS DISTINCT FROM new.time_retired) EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_signing_key ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_store (
  id integer NOT NULL,
  oldest_migration text COLLATE "C" NOT NULL,
  recorded_up_to integer,
  CHECK (id = 1),
  PRIMARY KEY (id)
);

CREATE TABLE product_template (
  id integer NOT NULL,
  blockchain_id integer NOT NULL,
  max_items integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  public_product integer NOT NULL,
  component_name text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_modified timestamp(6) with time zone NOT NULL,
  data text COLLATE "C" NOT NULL,
  name_folded text COLLATE "C" DEFAULT ''::text NOT NULL,
  name_key text COLLATE "C" DEFAULT ''::text NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  CHECK (blockchain_id >= '-2147483648'::integer AND blockchain_id <= 2147483647),
  CHECK (id >= 0 AND id <= 2147483647),
  CHECK (max_items >= 1 AND max_items <= 2147483647),
  PRIMARY KEY (id),
  CHECK (public_product = ANY (ARRAY[0, 1]))
);

CREATE INDEX product_template_by_created ON product_template USING btree (time_created, id);

CREATE INDEX product_template_by_modified ON product_template USING btree (time_modified, id);

CREATE INDEX product_template_by_name ON product_template USING btree (name_key, id);

CREATE INDEX product_template_filtered ON product_template USING btree (id) INCLUDE (public_product, blockchain_id, max_items, component_name, name_folded);

CREATE INDEX product_template_name_trigrams ON product_template USING gin (name_folded gin_trgm_ops);

CREATE TRIGGER product_template_counted BEFORE UPDATE ON product_template
  FOR EACH ROW EXECUTE FUNCTION product_template_count();

CREATE TRIGGER product_template_created AFTER INSERT ON product_template
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_create();

CREATE TRIGGER product_template_delete AFTER DELETE ON product_template
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_mark();

CREATE TRIGGER product_template_emptied BEFORE TRUNCATE ON product_template
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_record();

CREATE TRIGGER product_template_insert AFTER INSERT ON product_template
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_mark();

CREATE TRIGGER product_template_numbered AFTER INSERT ON product_template
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_number();

CREATE TRIGGER product_template_removed AFTER DELETE ON product_template
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_record();

CREATE TRIGGER product_template_revised AFTER UPDATE ON product_template
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_revise();

CREATE TRIGGER product_template_truncate AFTER TRUNCATE ON product_template
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_mark();

CREATE TRIGGER product_template_update AFTER UPDATE ON product_template
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_template_mark();

CREATE TRIGGER product_version_delete AFTER DELETE ON product_template
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_insert AFTER INSERT ON product_template
  REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template ENABLE ALWAYS TRIGGER product_version_insert;

CREATE TRIGGER product_version_truncate AFTER TRUNCATE ON product_template
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('templates');
ALTER TABLE product_template ENABLE ALWAYS TRIGGER product_version_truncate;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_template
  REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_template_index (
  id integer NOT NULL,
  version integer NOT NULL,
  complete integer NOT NULL,
  reached integer,
  CHECK (complete = ANY (ARRAY[0, 1])),
  CHECK (id = 1),
  PRIMARY KEY (id)
);

CREATE TRIGGER product_version_update AFTER UPDATE ON product_template_index
  REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template_index ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_template_past (
  template_id integer NOT NULL,
  number integer NOT NULL,
  blockchain_id integer NOT NULL,
  max_items integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  public_product integer NOT NULL,
  component_name text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_modified timestamp(6) with time zone NOT NULL,
  data text COLLATE "C",
  PRIMARY KEY (template_id, number)
);

CREATE TRIGGER product_version_delete AFTER DELETE ON product_template_past
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template_past ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_template_past
  REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('templates');
ALTER TABLE product_template_past ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_template_pending (
  mark bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  template_id integer NOT NULL,
  PRIMARY KEY (mark)
);

CREATE TABLE product_token_family (
  id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_expires timestamp(6) with time zone NOT NULL,
  time_revoked timestamp(6) with time zone,
  grant_type text COLLATE "C",
  resource text COLLATE "C",
  FOREIGN KEY (client_id) REFERENCES product_client(id) ON DELETE CASCADE,
  PRIMARY KEY (id),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE INDEX product_token_family_user ON product_token_family USING btree (user_id);

CREATE TRIGGER product_version_delete AFTER DELETE ON product_token_family
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('access');
ALTER TABLE product_token_family ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_truncate AFTER TRUNCATE ON product_token_family
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_token_family ENABLE ALWAYS TRIGGER product_version_truncate;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_token_family
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.time_revoked IS DISTINCT FROM new.time_revoked) EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_token_family ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_trait (
  template_id integer NOT NULL,
  type_id integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C"
);

CREATE UNIQUE INDEX product_trait_key ON product_trait USING btree (type_id, key, template_id);

CREATE INDEX product_trait_template ON product_trait USING btree (template_id);

CREATE TABLE product_trait_type (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  type text COLLATE "C" NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (type)
);

CREATE TABLE product_user (
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  password_hash text COLLATE "C" NOT NULL,
  first_name text COLLATE "C" NOT NULL,
  last_name text COLLATE "C" NOT NULL,
  country text COLLATE "C" NOT NULL,
  mobile text COLLATE "C" NOT NULL,
  time_created timestamp(6) with time zone NOT NULL,
  time_modified timestamp(6) with time zone NOT NULL,
  time_disabled timestamp(6) with time zone,
  token_epoch integer DEFAULT 0 NOT NULL,
  role text COLLATE "C" DEFAULT 'publisher'::text NOT NULL,
  template_where text COLLATE "C",
  UNIQUE (email),
  PRIMARY KEY (id)
);

CREATE TRIGGER product_version_delete AFTER DELETE ON product_user
  REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise_if_any('access');
ALTER TABLE product_user ENABLE ALWAYS TRIGGER product_version_delete;

CREATE TRIGGER product_version_truncate AFTER TRUNCATE ON product_user
  FOR EACH STATEMENT EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_user ENABLE ALWAYS TRIGGER product_version_truncate;

CREATE TRIGGER product_version_update AFTER UPDATE ON product_user
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.email IS DISTINCT FROM new.email OR old.time_disabled IS DISTINCT FROM new.time_disabled OR old.token_epoch IS DISTINCT FROM new.token_epoch OR old.role IS DISTINCT FROM new.role OR old.template_where IS DISTINCT FROM new.template_where) EXECUTE FUNCTION product_version_raise('access');
ALTER TABLE product_user ENABLE ALWAYS TRIGGER product_version_update;

CREATE TABLE product_user_wallet (
  user_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  address text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, "position"),
  FOREIGN KEY (user_id) REFERENCES product_user(id) ON DELETE CASCADE
);

CREATE TABLE product_version (
  name text COLLATE "C" NOT NULL,
  number integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  value uuid DEFAULT gen_random_uuid() NOT NULL,
  counter bigint DEFAULT 0 NOT NULL,
  PRIMARY KEY (name, number)
) WITH (fillfactor=10);

CREATE TABLE product_webhook (
  id text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  template_where text COLLATE "C",
  events text COLLATE "C" NOT NULL,
  secret text COLLATE "C" NOT NULL,
  previous_secret text COLLATE "C",
  time_previous_expires timestamp(6) with time zone,
  position bigint NOT NULL,
  disabled_because text COLLATE "C",
  time_created timestamp(6) with time zone NOT NULL,
  time_modified timestamp(6) with time zone NOT NULL,
  time_disabled timestamp(6) with time zone,
  PRIMARY KEY (id)
);

CREATE TABLE product_webhook_delivery (
  webhook_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  template_id integer NOT NULL,
  body text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  dead integer NOT NULL,
  last_error text COLLATE "C",
  time_stored timestamp(6) with time zone NOT NULL,
  time_tried timestamp(6) with time zone,
  time_next timestamp(6) with time zone,
  CHECK (dead = ANY (ARRAY[0, 1])),
  PRIMARY KEY (webhook_id, "position"),
  FOREIGN KEY (webhook_id) REFERENCES product_webhook(id) ON DELETE CASCADE
);

CREATE INDEX product_webhook_delivery_due ON product_webhook_delivery USING btree (time_next, webhook_id)
  WHERE time_next IS NOT NULL;

CREATE INDEX product_webhook_delivery_turn ON product_webhook_delivery USING btree (webhook_id, template_id, "position");

CREATE TABLE product_webhook_leader (
  beat text COLLATE "C" NOT NULL
);

CREATE OR REPLACE FUNCTION public.product_audit_refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  raise exception 'the audit trail is append-only';
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_count() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  if new.id <> old.id then
    new.revision := 1 + coalesce((select max(number) from product_revision where template_id = new.id), 0);
  elsif (old.blockchain_id, old.max_items, old.name, old.public_product, old.component_name, old.time_created, old.time_modified, old.data) is distinct from (new.blockchain_id, new.max_items, new.name, new.public_product, new.component_name, new.time_created, new.time_modified, new.data) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_create() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  if exists (select 1
    from new_rows
    where (select count(*) from product_revision where template_id = new_rows.id) > 0) then
    update product_template
      set revision = last.number + 1
      from (select distinct on (template_id) template_id, number, action
        from product_revision join new_rows on new_rows.id = template_id
        order by template_id, number desc) as last
      where id = template_id and (action = 'DELETE' or number > revision);
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from (select product_template.* from product_template join new_rows using (id)) as created
      on conflict (template_id, number) do nothing;
  else
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from new_rows
      on conflict (template_id, number) do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_mark() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  if current_setting('product_templates.indexing', true) = 'on' then
    return null;
  elsif tg_op = 'INSERT' then
    insert into product_template_pending (template_id) select id from new_rows;
  elsif tg_op = 'DELETE' then
    insert into product_template_pending (template_id) select id from old_rows;
  elsif tg_op = 'UPDATE' then
    insert into product_template_pending (template_id)
      select coalesce(new_rows.id, old_rows.id)
      from old_rows full join new_rows on new_rows.id = old_rows.id
      where (old_rows.id, old_rows.name, old_rows.data, old_rows.name_folded, old_rows.name_key) is distinct from (new_rows.id, new_rows.name, new_rows.data, new_rows.name_folded, new_rows.name_key);
  else
    delete from product_template_pending;
    update product_template_index set version = 0, complete = 0, reached = null;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_number() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  perform setval('product_template_id', chosen.id)
    from (select max(id) as id from new_rows) as chosen, product_template_id
    where chosen.id > last_value;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  if tg_op = 'DELETE' then
    insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
      select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data
      from old_rows
      on conflict do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from (select *
        from old_rows
        where (select count(*) from product_revision where template_id = id and number = revision) = 0) as unrecorded
      on conflict (template_id, number) do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision + 1, 'DELETE', null, clock_timestamp()
      from old_rows
      on conflict (template_id, number) do nothing;
  else
    insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
      select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data
      from product_template
      on conflict do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from (select *
        from product_template
        where (select count(*) from product_revision where template_id = id and number = revision) = 0) as unrecorded
      on conflict (template_id, number) do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision + 1, 'DELETE', null, clock_timestamp()
      from product_template
      on conflict (template_id, number) do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_template_revise() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp'
  SET enable_nestloop TO 'off' AS $function$
begin
  with changed as (select old_rows.*, new_rows.revision as next_revision, new_rows.data as next_data
    from old_rows join new_rows using (id)
    where (old_rows.blockchain_id, old_rows.max_items, old_rows.name, old_rows.public_product, old_rows.component_name, old_rows.time_created, old_rows.time_modified, old_rows.data) is distinct from (new_rows.blockchain_id, new_rows.max_items, new_rows.name, new_rows.public_product, new_rows.component_name, new_rows.time_created, new_rows.time_modified, new_rows.data)), archived as (insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, case when data = next_data then null else data end
    from changed
    on conflict do nothing)
    insert into product_revision (template_id, number, action, hash, time_recorded)
    select id, revision, action, encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
    from (select *
      from (select id, revision, 'CREATE' as action, data from changed union all select id, next_revision, 'UPDATE', next_data from changed) as recorded
      where (select count(*) from product_revision where template_id = id and number = revision) = 0) as unrecorded
    on conflict (template_id, number) do nothing;
  if exists (select 1
    from new_rows
    where not exists (select 1 from old_rows where old_rows.id = new_rows.id)) then
    insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
      select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data
      from (select *
        from old_rows
        where not exists (select 1 from new_rows where new_rows.id = old_rows.id)) as gone
      on conflict do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from (select *
        from (select * from old_rows where not exists (select 1 from new_rows where new_rows.id = old_rows.id)) as gone
        where (select count(*) from product_revision where template_id = id and number = revision) = 0) as unrecorded
      on conflict (template_id, number) do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision + 1, 'DELETE', null, clock_timestamp()
      from (select *
        from old_rows
        where not exists (select 1 from new_rows where new_rows.id = old_rows.id)) as gone
      on conflict (template_id, number) do nothing;
    insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp()
      from (select *
        from new_rows
        where not exists (select 1 from old_rows where old_rows.id = new_rows.id)) as renumbered
      on conflict (template_id, number) do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_version_raise() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  update product_version
    set value = gen_random_uuid(), counter = counter + 1
    where name = tg_argv[0] and number = (select number
      from product_version
      where name = tg_argv[0]
      order by mod(number + pg_backend_pid(), 32) limit 1 for update skip locked);
  if not found then
    insert into product_version (name) values (tg_argv[0]);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.product_version_raise_if_any() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path TO 'public', 'pg_temp' AS $function$
begin
  if exists (select 1 from changed_rows) then
    update product_version
      set value = gen_random_uuid(), counter = counter + 1
      where name = tg_argv[0] and number = (select number
        from product_version
        where name = tg_argv[0]
        order by mod(number + pg_backend_pid(), 32) limit 1 for update skip locked);
    if not found then
      insert into product_version (name) values (tg_argv[0]);
    end if;
  end if;
  return null;
end $function$;
