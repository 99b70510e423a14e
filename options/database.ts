import { databaseUrlForm, defaultDatabase, isDatabaseUrl, postgresDefaults } from '../db/url.ts'
import { Type } from './types.ts'

/** Settings of the database. */
export const databaseSettings = {
  database: Type.Refine(
    Type.String({
      env: 'DATABASE_URL',
      secret: 'password',
      default: defaultDatabase,
      expected: databaseUrlForm,
      description: 'URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`'
    }),
    isDatabaseUrl
  ),
  databasePoolSize: Type.Integer({
    env: 'DATABASE_POOL_SIZE',
    default: postgresDefaults.databasePoolSize,
    minimum: 1,
    maximum: 1000,
    description: 'maximum number of PostgreSQL connections; divided among WORKERS'
  }),
  databaseConnectTimeout: Type.Integer({
    env: 'DATABASE_CONNECT_TIMEOUT',
    default: postgresDefaults.databaseConnectTimeout,
    minimum: 1,
    maximum: 300,
    description: 'timeout in seconds for getting a PostgreSQL connection, new or from the pool'
  }),
  databaseQueryTimeout: Type.Integer({
    env: 'DATABASE_QUERY_TIMEOUT',
    default: postgresDefaults.databaseQueryTimeout,
    minimum: 1,
    maximum: 3600,
    description: 'timeout in seconds for a PostgreSQL query; a query waits half of that for a lock'
  }),
  databaseStartTimeout: Type.Integer({
    env: 'DATABASE_START_TIMEOUT',
    default: postgresDefaults.databaseStartTimeout,
    minimum: 0,
    maximum: 3600,
    description: 'seconds to keep trying to reach PostgreSQL at startup'
  }),
  databasePreparedStatements: Type.Boolean({
    env: 'DATABASE_PREPARED_STATEMENTS',
    default: postgresDefaults.databasePreparedStatements,
    description:
      'prepare the short, frequent PostgreSQL statements once per connection; `false` for old poolers'
  })
}
