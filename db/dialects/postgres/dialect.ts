import { PostgresAdapter, PostgresDialect } from 'kysely'

/** Migrations take a lock that ends with their transaction: see the engine. */
export class PostgresPoolDialect extends PostgresDialect {
  override createAdapter = () => new Adapter()
}

class Adapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}
