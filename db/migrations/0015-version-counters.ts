import { sql } from 'kysely'
import { createFunction, isPostgres, type MigratedDb } from './columns.ts'

/**
 * On PostgreSQL, adds a counter to each row of a version. A replica has everything that was committed at a version if its
 * counters are at least as high. The random values only tell whether two versions are the same.
 */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  await sql`alter table product_version add column counter bigint not null default 0`.execute(db)
  // The function of the migration 0009, with the counter.
  const raise = `update product_version set value = gen_random_uuid(), counter = counter + 1
    where name = tg_argv[0] and number = (
      select number from product_version where name = tg_argv[0]
      order by mod(number + pg_backend_pid(), 32) limit 1 for update skip locked);
    if not found then insert into product_version (name) values (tg_argv[0]); end if;`
  await createFunction(db, 'product_version_raise', `${raise} return null;`)
  await createFunction(
    db,
    'product_version_raise_if_any',
    `if exists (select 1 from changed_rows) then ${raise} end if; return null;`
  )
}
