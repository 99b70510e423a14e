import { databaseUrlForm, defaultDatabase, isDatabaseUrl, isPostgres, postgresDefaults } from '../db/url.ts'
import { integer, text } from './setting.ts'

/** Settings of the database. */
export const databaseSettings = {
  database: text(isDatabaseUrl, databaseUrlForm, defaultDatabase).describe(
    'URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`',
    { env: 'DATABASE_URL', secret: 'password' }
  ),
  databaseRead: text(
    url => isPostgres(url) && isDatabaseUrl(url),
    '`postgres://<user>:<password>@<host>,<host>/<database>`'
  ).describe('URL of a PostgreSQL replica that serves lists, pages, facets and exports; none if absent', {
    env: 'DATABASE_READ_URL',
    secret: 'password'
  }),
  databasePoolSize: integer([1, 1000], postgresDefaults.databasePoolSize).describe(
    'maximum number of PostgreSQL connections of a process; each of at most four worker threads has one more'
  ),
  databaseConnectTimeout: integer([1, 300], postgresDefaults.databaseConnectTimeout).describe(
    'timeout in seconds for getting a PostgreSQL connection, new or from the pool'
  ),
  databaseQueryTimeout: integer([1, 3600], postgresDefaults.databaseQueryTimeout).describe(
    'timeout in seconds for a PostgreSQL query; a query waits half of that for a lock'
  ),
  databaseStartTimeout: integer([0, 3600], postgresDefaults.databaseStartTimeout).describe(
    'seconds to keep trying to reach PostgreSQL at startup'
  )
}
