-- The structure of a new store. No program reads this file: `npm run docs` writes it from what the migrations make.
-- A table is followed by its indexes and its triggers.

CREATE TABLE product_attempt (
  subject text primary key,
  count integer not null,
  time_ends text not null
);

CREATE TABLE product_audit (
  sequence integer primary key autoincrement,
  time_recorded text not null,
  action text not null,
  subject text,
  client_id text,
  actor_name text,
  address text,
  target_kind text not null,
  target_id text not null,
  details text not null
);

CREATE INDEX product_audit_target on product_audit (target_id, action, sequence);

CREATE TRIGGER product_audit_delete before delete on product_audit
begin
  select raise(abort, 'the audit trail is append-only');
end;

CREATE TRIGGER product_audit_replace before insert on product_audit
  when exists (select 1 from product_audit where sequence = new.sequence)
begin
  select raise(abort, 'the audit trail is append-only');
end;

CREATE TRIGGER product_audit_update before update on product_audit
begin
  select raise(abort, 'the audit trail is append-only');
end;

CREATE TABLE product_authorization_code (
  hash text primary key,
  client_id text not null references product_client (id) on delete cascade,
  user_id text not null references product_user (id) on delete cascade,
  token_epoch integer not null,
  redirect_uri text not null,
  challenge text not null,
  scope text not null,
  time_expires text not null,
  time_used text,
  family_id text,
  nonce text,
  time_authenticated text,
  resource text
);

CREATE INDEX product_authorization_code_by_time_expires on product_authorization_code (time_expires);

CREATE TABLE product_client (
  id text primary key,
  secret_hash text not null,
  grant_types text not null,
  scope text not null,
  time_created text not null,
  time_modified text not null,
  time_disabled text,
  may_introspect integer not null default 0 check (may_introspect in (0, 1)),
  previous_secret_hash text,
  time_previous_expires text,
  "is_public" integer not null default 0 check ("is_public" in (0, 1)),
  "first_party" integer not null default 0 check ("first_party" in (0, 1)),
  redirect_uris text not null default '',
  display_name text not null default '',
  token_epoch integer not null default 0
);

CREATE TRIGGER product_version_product_client_delete after delete on product_client
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_client_replace before insert on product_client
  when exists (select 1 from product_client where id = new.id)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_client_update after update on product_client
  when (old.id, old.time_disabled, old.token_epoch) is not (new.id, new.time_disabled, new.token_epoch)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TABLE product_consent (
  user_id text not null references product_user (id) on delete cascade,
  client_id text not null references product_client (id) on delete cascade,
  scope text not null,
  time_created text not null,
  constraint product_consent_key primary key (user_id, client_id)
);

CREATE TABLE product_idempotency (
  key text primary key,
  request text not null,
  result text not null,
  time_created text not null
);

CREATE INDEX product_idempotency_by_time on product_idempotency (time_created);

CREATE TABLE product_identity (
  issuer text not null,
  subject text not null,
  user_id text not null references product_user (id) on delete cascade,
  time_created text not null,
  primary key (issuer, subject)
);

CREATE INDEX product_identity_user on product_identity (user_id);

CREATE TABLE product_media (
  source text not null,
  small integer not null check (small in (0, 1)),
  hash text not null,
  type text not null,
  size integer not null,
  bytes blob not null,
  time_created text not null,
  primary key (source, small)
);

CREATE INDEX product_media_age on product_media (small, time_created, size);

CREATE INDEX product_media_hash on product_media (hash);

CREATE TABLE "product_migration" (
  "name" text primary key,
  "timestamp" text not null
);

CREATE TABLE "product_migration_step" (
  "name" text primary key,
  "time" text not null
);

CREATE TABLE product_passkey (
  id text primary key,
  user_id text not null references product_user (id) on delete cascade,
  name text not null,
  public_key text not null,
  counter bigint not null,
  time_created text not null,
  time_used text
);

CREATE INDEX product_passkey_user on product_passkey (user_id);

CREATE TABLE product_passkey_challenge (
  hash text primary key,
  time_expires text not null
);

CREATE TABLE product_password_link (
  hash text primary key,
  user_id text not null references product_user (id) on delete cascade,
  token_epoch integer not null,
  time_expires text not null
);

CREATE TABLE product_provider_login (
  hash text primary key,
  provider text not null,
  nonce text not null,
  verifier text not null,
  request text not null,
  time_expires text not null
);

CREATE TABLE product_refresh_token (
  hash text primary key,
  family_id text not null references product_token_family (id) on delete cascade,
  generation integer not null,
  time_used text,
  constraint product_refresh_token_turn unique (family_id, generation)
);

CREATE TABLE product_revision (
  sequence integer primary key autoincrement,
  template_id integer not null,
  number integer not null,
  action text not null,
  hash text,
  subject text,
  client_id text,
  message text,
  time_recorded text not null,
  position integer,
  author_name text
);

CREATE INDEX product_revision_hash on product_revision (hash) where hash is not null;

CREATE UNIQUE INDEX product_revision_key on product_revision (template_id, number);

CREATE UNIQUE INDEX product_revision_position on product_revision (position);

CREATE INDEX product_revision_unhashed on product_revision (sequence)
  where hash is null and action <> 'DELETE';

CREATE INDEX product_revision_unpublished on product_revision (position, sequence) where position is null;

CREATE TRIGGER product_version_revision_delete after delete on product_revision
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TRIGGER product_version_revision_update after update on product_revision
  when (old.template_id, old.number, old.action, old.subject, old.client_id, old.message, old.time_recorded) is not (new.template_id, new.number, new.action, new.subject, new.client_id, new.message, new.time_recorded)
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TABLE product_revoked_token (
  jti text primary key,
  time_expires text not null
);

CREATE TRIGGER product_version_revocation after insert on product_revoked_token
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE VIRTUAL TABLE "product_search" using fts5(terms, detail=none, tokenize='ascii');

CREATE VIRTUAL TABLE "product_search_name" using fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');

CREATE VIRTUAL TABLE "product_search_trait" using fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');

CREATE VIRTUAL TABLE product_search_vocabulary using fts5vocab(product_search, row);

CREATE TABLE product_session (
  hash text primary key,
  user_id text not null references product_user (id) on delete cascade,
  token_epoch integer not null,
  time_created text not null,
  time_used text not null,
  browser text
);

CREATE INDEX product_session_by_time_created on product_session (time_created);

CREATE INDEX product_session_by_user_id on product_session (user_id);

CREATE TABLE product_signing_key (
  id text primary key,
  algorithm text not null,
  private_jwk text not null,
  time_created text not null,
  time_activated text,
  time_retired text,
  access_token_ttl integer
);

CREATE TRIGGER product_version_product_signing_key_delete after delete on product_signing_key
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_signing_key_replace before insert on product_signing_key
  when exists (select 1 from product_signing_key where id = new.id)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_signing_key_update after update on product_signing_key
  when (old.id, old.private_jwk, old.time_retired) is not (new.id, new.private_jwk, new.time_retired)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TABLE product_store (
  id integer primary key check (id = 1),
  oldest_migration text not null,
  recorded_up_to integer
);

CREATE TABLE product_template (
  id integer primary key check (id between 0 and 2147483647),
  blockchain_id integer not null check (blockchain_id between -2147483648 and 2147483647),
  max_items integer not null check (max_items between 1 and 2147483647),
  name text not null,
  public_product integer not null check (public_product in (0, 1)),
  component_name text not null,
  time_created text not null,
  time_modified text not null,
  data text not null,
  name_folded text not null default '',
  name_key text not null default '',
  "revision" integer default 1 not null
);

CREATE INDEX product_template_by_created on product_template (time_created,id,name,name_folded,name_key,component_name,blockchain_id,public_product,max_items,time_modified);

CREATE INDEX product_template_by_id on product_template (id,name,name_folded,name_key,component_name,blockchain_id,public_product,max_items,time_created,time_modified);

CREATE INDEX product_template_by_modified on product_template (time_modified,id,name,name_folded,name_key,component_name,blockchain_id,public_product,max_items,time_created);

CREATE INDEX product_template_by_name on product_template (name_key,id,name,name_folded,component_name,blockchain_id,public_product,max_items,time_created,time_modified);

CREATE TRIGGER product_template_created after insert on product_template
begin
  update product_template
    set revision = (select max(number) from product_revision where template_id = new.id) + 1
    where id = new.id and exists (select 1
      from product_revision as last
      where template_id = new.id and number = (select max(number) from product_revision where template_id = new.id) and (action = 'DELETE' or number > new.revision or exists (select 1 from product_template_past as past where past.template_id = new.id and past.number = last.number)));
  insert into product_revision (template_id, number, action, time_recorded)
    select new.id, (select revision
      from product_template
      where id = new.id), 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = new.id and number = (select revision from product_template where id = new.id));
end;

CREATE TRIGGER product_template_deleted after delete on product_template
begin
  insert into product_template_pending
    select old.id
    where not exists (select 1 from product_template_pending where template_id = old.id);
end;

CREATE TRIGGER product_template_displaced before update of id on product_template
  when new.id <> old.id and exists (select 1 from product_template where id = new.id)
begin
  insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data
    from product_template
    where id = new.id and not exists (select 1
      from product_template_past
      where template_id = new.id and number = revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select new.id, (select revision
      from product_template
      where id = new.id), 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = new.id and number = (select revision from product_template where id = new.id));
end;

CREATE TRIGGER product_template_inserted after insert on product_template
begin
  insert into product_template_pending
    select new.id
    where not exists (select 1 from product_template_pending where template_id = new.id);
end;

CREATE TRIGGER product_template_removed after delete on product_template
begin
  insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select old.id, old.revision, old.blockchain_id, old.max_items, old.name, old.public_product, old.component_name, old.time_created, old.time_modified, old.data
    where not exists (select 1
      from product_template_past
      where template_id = old.id and number = old.revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select old.id, old.revision, 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = old.id and number = old.revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select old.id, old.revision + 1, 'DELETE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = old.id and number = old.revision + 1);
end;

CREATE TRIGGER product_template_renumbered after update of id on product_template when new.id <> old.id
begin
  insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select old.id, old.revision, old.blockchain_id, old.max_items, old.name, old.public_product, old.component_name, old.time_created, old.time_modified, old.data
    where not exists (select 1
      from product_template_past
      where template_id = old.id and number = old.revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select old.id, old.revision, 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = old.id and number = old.revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select old.id, old.revision + 1, 'DELETE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = old.id and number = old.revision + 1);
  update product_template
    set revision = coalesce((select max(number) from product_revision where template_id = new.id), 0) + 1
    where id = new.id;
  insert into product_revision (template_id, number, action, time_recorded)
    select new.id, (select revision
      from product_template
      where id = new.id), 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = new.id and number = (select revision from product_template where id = new.id));
end;

CREATE TRIGGER product_template_replaced before insert on product_template
  when exists (select 1 from product_template where id = new.id)
begin
  insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select id, revision, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data
    from product_template
    where id = new.id and not exists (select 1
      from product_template_past
      where template_id = new.id and number = revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select new.id, (select revision
      from product_template
      where id = new.id), 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = new.id and number = (select revision from product_template where id = new.id));
end;

CREATE TRIGGER product_template_revised after update of blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data on product_template
  when new.id = old.id and (old.blockchain_id, old.max_items, old.name, old.public_product, old.component_name, old.time_created, old.time_modified, old.data) is not (new.blockchain_id, new.max_items, new.name, new.public_product, new.component_name, new.time_created, new.time_modified, new.data)
begin
  insert into product_template_past (template_id, number, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data)
    select old.id, old.revision, old.blockchain_id, old.max_items, old.name, old.public_product, old.component_name, old.time_created, old.time_modified, case when old.data = new.data then null else old.data end
    where not exists (select 1
      from product_template_past
      where template_id = old.id and number = old.revision);
  insert into product_revision (template_id, number, action, time_recorded)
    select old.id, old.revision, 'CREATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = old.id and number = old.revision);
  update product_template set revision = old.revision + 1 where id = new.id;
  insert into product_revision (template_id, number, action, time_recorded)
    select new.id, old.revision + 1, 'UPDATE', strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'
    where true and not exists (select 1
      from product_revision
      where template_id = new.id and number = old.revision + 1);
end;

CREATE TRIGGER product_template_updated after update of id, name, data, name_folded, name_key on product_template
  when (old.id, old.name, old.data, old.name_folded, old.name_key) is not (new.id, new.name, new.data, new.name_folded, new.name_key)
begin
  insert into product_template_pending
    select old.id
    where not exists (select 1 from product_template_pending where template_id = old.id);
  insert into product_template_pending
    select new.id
    where not exists (select 1 from product_template_pending where template_id = new.id);
end;

CREATE TRIGGER product_version_template_delete after delete on product_template
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TRIGGER product_version_template_insert after insert on product_template
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TRIGGER product_version_template_update after update on product_template
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TABLE product_template_index (
  id integer primary key check (id = 1),
  version integer not null,
  complete integer not null check (complete in (0, 1)),
  reached integer
);

CREATE TRIGGER product_version_index after update on product_template_index
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TABLE product_template_past (
  template_id integer not null,
  number integer not null,
  blockchain_id integer not null,
  max_items integer not null,
  name text not null,
  public_product integer not null,
  component_name text not null,
  time_created text not null,
  time_modified text not null,
  data text,
  constraint product_template_past_key primary key (template_id, number)
);

CREATE TRIGGER product_version_past_delete after delete on product_template_past
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TRIGGER product_version_past_update after update on product_template_past
begin
  update product_version set value = hex(randomblob(16)) where name = 'templates';
end;

CREATE TABLE product_template_pending (
  template_id integer primary key
);

CREATE TABLE product_token_family (
  id text primary key,
  client_id text not null references product_client (id) on delete cascade,
  user_id text not null references product_user (id) on delete cascade,
  scope text not null,
  time_created text not null,
  time_expires text not null,
  time_revoked text,
  grant_type text,
  resource text
);

CREATE INDEX product_token_family_user on product_token_family (user_id);

CREATE TRIGGER product_version_product_token_family_delete after delete on product_token_family
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_token_family_replace before insert on product_token_family
  when exists (select 1 from product_token_family where id = new.id)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_token_family_update after update on product_token_family
  when (old.id, old.time_revoked) is not (new.id, new.time_revoked)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TABLE product_trait (
  type_id integer not null,
  hash integer not null,
  template_id integer not null,
  key text not null,
  primary key (type_id, hash, template_id)
) without rowid;

CREATE INDEX product_trait_template on product_trait (template_id, type_id);

CREATE TABLE product_trait_type (
  id integer primary key,
  type text not null unique
);

CREATE TABLE product_user (
  id text primary key,
  email text not null unique,
  password_hash text not null,
  first_name text not null,
  last_name text not null,
  country text not null,
  mobile text not null,
  time_created text not null,
  time_modified text not null,
  time_disabled text,
  token_epoch integer not null default 0,
  role text not null default 'publisher',
  template_where text
);

CREATE TRIGGER product_version_product_user_delete after delete on product_user
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_user_replace before insert on product_user
  when exists (select 1 from product_user where id = new.id or email = new.email)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TRIGGER product_version_product_user_update after update on product_user
  when (old.id, old.email, old.time_disabled, old.token_epoch, old.role, old.template_where) is not (new.id, new.email, new.time_disabled, new.token_epoch, new.role, new.template_where)
begin
  update product_version set value = hex(randomblob(16)) where name = 'access';
end;

CREATE TABLE product_user_wallet (
  user_id text not null references product_user (id) on delete cascade,
  position integer not null,
  address text not null,
  constraint product_user_wallet_key primary key (user_id, position)
);

CREATE TABLE "product_version" (
  "name" text primary key,
  "value" text not null
);

CREATE TABLE product_webhook (
  id text primary key,
  url text not null,
  template_where text,
  events text not null,
  secret text not null,
  previous_secret text,
  time_previous_expires text,
  position integer not null,
  disabled_because text,
  time_created text not null,
  time_modified text not null,
  time_disabled text
);

CREATE TABLE product_webhook_delivery (
  webhook_id text not null references product_webhook (id) on delete cascade,
  position integer not null,
  template_id integer not null,
  body text not null,
  attempts integer not null,
  dead integer not null check (dead in (0, 1)),
  last_error text,
  time_stored text not null,
  time_tried text,
  time_next text,
  primary key (webhook_id, position)
);

CREATE INDEX product_webhook_delivery_due on product_webhook_delivery (time_next, webhook_id)
  where time_next is not null;

CREATE INDEX product_webhook_delivery_turn on product_webhook_delivery (webhook_id, template_id, position);

CREATE TABLE product_webhook_leader (
  beat text not null
);
