import { databaseUrlForm, defaultDatabase, isDatabaseUrl, isPostgres, postgresDefaults } from '../db/url.ts'
import { boolean, integer, path, text } from './setting.ts'

/** Settings of the database. */
export const databaseSettings = {
  database: text(isDatabaseUrl, {
    env: 'DATABASE_URL',
    secret: 'password',
    default: defaultDatabase,
    expected: databaseUrlForm,
    description: 'URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`'
  }),
  databaseRead: text(url => isPostgres(url) && isDatabaseUrl(url), {
    env: 'DATABASE_READ_URL',
    secret: 'password',
    expected: '`postgres://<user>:<password>@<host>,<host>/<database>`',
    description:
      'URL of a PostgreSQL replica, which lists, pages, facets and exports are read from; none if absent'
  }),
  databasePoolSize: integer([1, 1000], {
    default: postgresDefaults.databasePoolSize,
    description: 'maximum number of PostgreSQL connections of a process'
  }),
  databaseConnectTimeout: integer([1, 300], {
    default: postgresDefaults.databaseConnectTimeout,
    description: 'timeout in seconds for getting a PostgreSQL connection, new or from the pool'
  }),
  databaseQueryTimeout: integer([1, 3600], {
    default: postgresDefaults.databaseQueryTimeout,
    description: 'timeout in seconds for a PostgreSQL query; a query waits half of that for a lock'
  }),
  databaseStartTimeout: integer([0, 3600], {
    default: postgresDefaults.databaseStartTimeout,
    description: 'seconds to keep trying to reach PostgreSQL at startup'
  }),
  databasePreparedStatements: boolean({
    default: postgresDefaults.databasePreparedStatements,
    description:
      'prepare the short, frequent PostgreSQL statements once per connection; `false` for old poolers'
  })
}

/** Settings of regular backups. */
export const backupSettings = {
  backupDir: path(
    'directory for regular backups of the SQLite database, of this one alone; no backups if absent'
  ),
  backupInterval: integer([60, 2_073_600], { default: 86_400, description: 'seconds between two backups' }),
  backupKeep: integer([1, 100_000], {
    default: 7,
    description: 'number of backups to keep; older ones are deleted after a new one is complete'
  })
}
