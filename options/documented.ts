// `npm run docs` writes this file from the schema in options.ts.

/** The settings of the service as options of the plugin. */
export interface DocumentedOptions {
  /**
   * URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`.
   *
   * Environment variable of the command: `DATABASE_URL`.
   */
  database?: string
  /**
   * URL of a PostgreSQL replica, which lists, pages and facets are read from; none if absent.
   *
   * Environment variable of the command: `DATABASE_READ_URL`.
   */
  databaseRead?: string
  /**
   * Maximum number of PostgreSQL connections of a process.
   *
   * From 1 to 1000. Default: `10`. Environment variable of the command: `DATABASE_POOL_SIZE`.
   */
  databasePoolSize?: number
  /**
   * Timeout in seconds for getting a PostgreSQL connection, new or from the pool.
   *
   * From 1 to 300. Default: `3`. Environment variable of the command: `DATABASE_CONNECT_TIMEOUT`.
   */
  databaseConnectTimeout?: number
  /**
   * Timeout in seconds for a PostgreSQL query; a query waits half of that for a lock.
   *
   * From 1 to 3600. Default: `10`. Environment variable of the command: `DATABASE_QUERY_TIMEOUT`.
   */
  databaseQueryTimeout?: number
  /**
   * Seconds to keep trying to reach PostgreSQL at startup.
   *
   * From 0 to 3600. Default: `30`. Environment variable of the command: `DATABASE_START_TIMEOUT`.
   */
  databaseStartTimeout?: number
  /**
   * Prepare the short, frequent PostgreSQL statements once per connection; `false` for old poolers.
   *
   * Default: `true`. Environment variable of the command: `DATABASE_PREPARED_STATEMENTS`.
   */
  databasePreparedStatements?: boolean
  /**
   * `iss` of the tokens; defaults to the address the service listens on.
   *
   * Environment variable of the command: `ISSUER`.
   */
  issuer?: string
  /**
   * Access token lifetime in seconds.
   *
   * From 1 to 31536000. Default: `86400`. Environment variable of the command: `ACCESS_TOKEN_TTL`.
   */
  accessTokenTtl?: number
  /**
   * Login lifetime in seconds; refreshing does not extend it.
   *
   * From 1 to 31536000. Default: `2592000`. Environment variable of the command: `REFRESH_TOKEN_TTL`.
   */
  refreshTokenTtl?: number
  /**
   * Grace period in seconds in which reusing a refresh token is refused without revoking the login.
   *
   * From 0 to 60. Default: `5`. Environment variable of the command: `REFRESH_TOKEN_GRACE`.
   */
  refreshTokenGrace?: number
  /**
   * Algorithm of new signing keys.
   *
   * Default: `ES256`. Environment variable of the command: `SIGNING_ALGORITHM`.
   */
  signingAlgorithm?: 'ES256' | 'RS256' | 'EdDSA'
  /**
   * Age in seconds at which the signing key is rotated automatically; 0 for never.
   *
   * From 0 to 315360000. Default: `0`. Environment variable of the command: `SIGNING_KEY_MAX_AGE`.
   */
  signingKeyMaxAge?: number
  /**
   * File with a private JWK set, used instead of the keys in the database; the first key signs.
   *
   * Environment variable of the command: `SIGNING_KEYS_FILE`.
   */
  signingKeysFile?: string
  /**
   * Secret that encrypts the private keys in the database.
   *
   * Environment variable of the command: `KEY_ENCRYPTION_SECRET`.
   */
  keyEncryptionSecret?: string
  /**
   * Former secret, which only decrypts, until `product-templates keys reencrypt` has run.
   *
   * Environment variable of the command: `KEY_ENCRYPTION_SECRET_OLD`.
   */
  keyEncryptionSecretOld?: string
  /**
   * Requests per minute from one address to the OAuth endpoints, counted in the database for all processes; 0 for no limit.
   *
   * From 0 to 1000000. Default: `600`. Environment variable of the command: `ADDRESS_LIMIT`.
   */
  addressLimit?: number
  /**
   * Token requests per minute from one client with a secret; 0 for no limit.
   *
   * From 0 to 1000000. Default: `6000`. Environment variable of the command: `CLIENT_LIMIT`.
   */
  clientLimit?: number
  /**
   * Failed logins per account and window; 0 for no limit.
   *
   * From 0 to 1000000. Default: `10`. Environment variable of the command: `ACCOUNT_LIMIT`.
   */
  accountLimit?: number
  /**
   * Length of that window in seconds; an account is locked no longer than this.
   *
   * From 1 to 86400. Default: `900`. Environment variable of the command: `ACCOUNT_WINDOW`.
   */
  accountWindow?: number
  /**
   * Argon2id memory for new password hashes, in KiB.
   *
   * From 7168 to 4194304. Default: `47104`. Environment variable of the command: `PASSWORD_MEMORY`.
   */
  passwordMemory?: number
  /**
   * Argon2id iterations for new password hashes.
   *
   * From 1 to 64. Default: `1`. Environment variable of the command: `PASSWORD_ITERATIONS`.
   */
  passwordIterations?: number
  /**
   * Argon2id parallelism for new password hashes.
   *
   * From 1 to 64. Default: `1`. Environment variable of the command: `PASSWORD_PARALLELISM`.
   */
  passwordParallelism?: number
  /**
   * Origins whose web pages may read responses; none if absent.
   *
   * Environment variable of the command: `CORS_ORIGINS`.
   */
  corsOrigins?: string
  /**
   * Seconds after which a browser has to log in again at `/oauth/authorize`.
   *
   * From 60 to 2592000. Default: `43200`. Environment variable of the command: `SESSION_TTL`.
   */
  sessionTtl?: number
  /**
   * Seconds without use after which a browser has to log in again.
   *
   * From 60 to 2592000. Default: `3600`. Environment variable of the command: `SESSION_IDLE_TTL`.
   */
  sessionIdleTtl?: number
  /**
   * Maximum depth of fields in an operation; the full introspection query has 15.
   *
   * From 2 to 100. Default: `15`. Environment variable of the command: `GRAPHQL_MAX_DEPTH`.
   */
  graphqlMaxDepth?: number
  /**
   * Maximum number of tokens in a GraphQL document.
   *
   * From 50 to 10000. Default: `1000`. Environment variable of the command: `GRAPHQL_MAX_TOKENS`.
   */
  graphqlMaxTokens?: number
  /**
   * Maximum number of aliases in an operation; a fragment counts each time it is spread.
   *
   * From 0 to 10000. Default: `15`. Environment variable of the command: `GRAPHQL_MAX_ALIASES`.
   */
  graphqlMaxAliases?: number
  /**
   * Maximum number of directives in an operation, counted in the same way.
   *
   * From 0 to 10000. Default: `8`. Environment variable of the command: `GRAPHQL_MAX_DIRECTIVES`.
   */
  graphqlMaxDirectives?: number
  /**
   * Maximum length of a GraphQL document in characters, without variables.
   *
   * From 256 to 65536. Default: `16384`. Environment variable of the command: `GRAPHQL_MAX_SOURCE_LENGTH`.
   */
  graphqlMaxSourceLength?: number
  /**
   * Maximum size of a GraphQL request in bytes.
   *
   * From 1024 to 134217728. Default: `1048576`. Environment variable of the command: `GRAPHQL_MAX_BODY_SIZE`.
   */
  graphqlMaxBodySize?: number
  /**
   * Maximum size of a GraphQL response in bytes.
   *
   * From 1024 to 536870912. Default: `536870912`. Environment variable of the command: `GRAPHQL_MAX_RESULT_SIZE`.
   */
  graphqlMaxResultSize?: number
  /**
   * Maximum cost of an operation; one unit is about 10 microseconds of one core.
   *
   * From 1000 to 1000000000. Default: `500000`. Environment variable of the command: `GRAPHQL_MAX_COST`.
   */
  graphqlMaxCost?: number
  /**
   * Cost a token may spend per second, averaged over ten seconds; per worker; 0 disables the limit.
   *
   * From 0 to 1000000000. Default: `2000000`. Environment variable of the command: `GRAPHQL_COST_RATE`.
   */
  graphqlCostRate?: number
  /**
   * Operations of one token that run at the same time, per worker; further ones wait.
   *
   * From 1 to 10000. Default: `8`. Environment variable of the command: `GRAPHQL_CONCURRENCY`.
   */
  graphqlConcurrency?: number
  /**
   * Seconds an operation may take.
   *
   * From 1 to 3600. Default: `10`. Environment variable of the command: `GRAPHQL_TIMEOUT`.
   */
  graphqlTimeout?: number
  /**
   * Maximum size in bytes of all GraphQL responses that a process is writing or sending, and separately of those of the explorer, `/metadata`, `/schemas` and `/metrics`; a single response may be larger.
   *
   * From 1024 to 1099511627776. Default: `268435456`. Environment variable of the command: `GRAPHQL_MAX_PENDING_SIZE`.
   */
  graphqlMaxPendingSize?: number
  /**
   * Maximum size in bytes of the query responses that each worker caches; 0 to cache none.
   *
   * From 0 to 1099511627776. Default: `134217728`. Environment variable of the command: `GRAPHQL_RESPONSE_CACHE_SIZE`.
   */
  graphqlResponseCacheSize?: number
  /**
   * Seconds after which the connection of a client that stopped reading its response is closed.
   *
   * From 1 to 3600. Default: `30`. Environment variable of the command: `GRAPHQL_STALL_TIMEOUT`.
   */
  graphqlStallTimeout?: number
  /**
   * Streams of changes that are open at the same time, per worker.
   *
   * From 1 to 1000000. Default: `1000`. Environment variable of the command: `CHANGES_MAX_STREAMS`.
   */
  changesMaxStreams?: number
  /**
   * Streams of changes that one token may have open at the same time, per worker.
   *
   * From 1 to 1000000. Default: `10`. Environment variable of the command: `CHANGES_STREAMS_PER_TOKEN`.
   */
  changesStreamsPerToken?: number
  /**
   * Seconds between heartbeats on a stream of changes without events.
   *
   * From 1 to 300. Default: `15`. Environment variable of the command: `CHANGES_HEARTBEAT`.
   */
  changesHeartbeat?: number
  /**
   * Allow `__schema` and `__type`; `__typename` is always allowed.
   *
   * Default: `true`. Environment variable of the command: `GRAPHQL_INTROSPECTION`.
   */
  graphqlIntrospection?: boolean
  /**
   * What to do about a written document that does not match the JSON Schema.
   *
   * Default: `enforce`. Environment variable of the command: `VALIDATION`.
   */
  validation?: 'enforce' | 'warn' | 'off'
  /**
   * Maximum size in bytes of the document of a template that is written.
   *
   * From 1024 to 4194304. Default: `262144`. Environment variable of the command: `MAX_DATA_SIZE`.
   */
  maxDataSize?: number
  /**
   * Maximum number of templates in one `importProducts`.
   *
   * From 1 to 100000. Default: `1000`. Environment variable of the command: `IMPORT_MAX_TEMPLATES`.
   */
  importMaxTemplates?: number
  /**
   * Gateway for the IPFS links in `/metadata`: `<gateway>/<content id>`; unchanged if absent.
   *
   * Environment variable of the command: `IPFS_GATEWAY`.
   */
  ipfsGateway?: string
  /**
   * Directory for regular backups of the SQLite database, of this one alone; no backups if absent.
   *
   * Environment variable of the command: `BACKUP_DIR`.
   */
  backupDir?: string
  /**
   * Seconds between two backups.
   *
   * From 60 to 2073600. Default: `86400`. Environment variable of the command: `BACKUP_INTERVAL`.
   */
  backupInterval?: number
  /**
   * Number of backups to keep; older ones are deleted after a new one is complete.
   *
   * From 1 to 100000. Default: `7`. Environment variable of the command: `BACKUP_KEEP`.
   */
  backupKeep?: number
}
