import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback } from 'fastify'
import type { Migration } from 'kysely/migration'
import type { VerifyTrusted } from '../accounts/credentials/access-token.ts'
import type { ActionText } from '../domain/audit-actions.ts'
import type { Endpoint } from '../domain/rights.ts'
import type { Api, CheckDocument, NamedDocuments } from '../graphql/api.ts'
import type { ServiceOptions, ServiceSettings } from '../options/index.ts'
import type { Settings, Values } from '../options/setting.ts'
import type { AccountSection } from '../routes/oauth/account/show.ts'
import type { LoginMethod } from '../routes/oauth/authorize/login.ts'
import type { FindDescribedClient } from '../routes/oauth/authorize/request.ts'
import type { Path } from '../routes/route.ts'
import type { Definition } from '../runtime/metrics/kinds.ts'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import type { Command } from '../terminal/command.ts'
import type { FileFormats } from '../terminal/file-format.ts'
import type { Doctor } from '../terminal/finding.ts'

/**
 * What a feature may give. `index.ts` lists the features; the core goes through the list, and names none. This object is
 * data: what runs is imported when it is needed. The build leaves internal members out of the types of the package.
 */
export interface Feature<Own extends Settings = Settings, Limits extends Settings = Settings> {
  /** Its settings, which are also variables and flags: `someOption` is SOME_OPTION and `--some-option`. */
  settings?: Own
  /** Options that only a host can set. */
  limits?: Limits
  /** Finds options that contradict each other. `nameOf` returns the name of an option for a message. */
  findContradictions?(given: Readonly<Record<string, unknown>>, nameOf: (option: string) => string): string[]
  /** Whether the service needs its `server`, `schema` and `verifiers`; without it, always. */
  isOn?(settings: Values<Own>): boolean
  /** Whether it serves the pictures that templates link to, so that the explorer needs no gateway. */
  servesPictures?(settings: Values<Own>): boolean
  /** The endpoints that need tokens of their own, RFC 8707. */
  tokensFor?: readonly Endpoint[]
  /** Its tables, in the order of their references. */
  tables?: Record<`product_${string}`, TableFacts>
  /** Its migrations, `<folder>/<number>-<name>`. They run after those of the core. */
  migrations?: Record<`${string}/${string}`, () => Promise<Pick<Migration, 'up'>>>
  /** What it records in the audit trail, `<kind of the target>.<what>`, and how the explorer says it. */
  auditActions?: Record<`${string}.${string}`, ActionText>
  /** Its metrics, without the prefix. */
  metrics?: Record<string, Definition>
  /** Its commands by their names, in the form of `import` or, in a group of the core, `user add`. @internal */
  commands?: Record<string, () => Promise<{ command: Command }>>
  /** The formats of files that it adds to `import` and `export`. @internal */
  fileFormats?: FileFormats
  /** What `doctor` checks. @internal */
  doctor?(): Promise<{ doctor: Doctor }>
  /** What changes the schema of GraphQL. Apart from the server, because worker threads load it, too. @internal */
  schema?(): Promise<SchemaChange>
  /** What `serve` opens before the service, of which it may give some options. @internal */
  process?(): Promise<{
    openProcess(app: FastifyInstance, metrics: Metrics): Promise<ServiceOptions | undefined>
  }>
  /** Makes the verifiers of other issuers' tokens, by `iss`. @internal */
  verifiers?(): Promise<{
    makeVerifiers(settings: ServiceSettings, log: FastifyBaseLogger): Promise<Map<unknown, VerifyTrusted>>
  }>
  /** What a running service needs. @internal */
  server?(): Promise<{ server: FeatureServer }>
}

export interface TableFacts {
  /** Its primary key, in whose order rows are copied to another database. */
  key: string[]
  /** The column whose values may have megabytes. */
  longColumn?: string
  /** Whether rows are of no use after their `time_expires`. */
  expires?: boolean
  /** Whether its rows belong to one database, so that no copy has them. */
  isLocal?: boolean
  /** Its columns with keys that `sealKey` has made, and the action that records their new encryption. Its key is `id`. */
  sealed?: { columns: string[]; action: `${string}.${string}` }
}

/** @internal */
export interface SchemaChange {
  extendSchema(api: Api, settings: object): Api | Promise<Api>
  /** Whether it needs the schema with the changes of all other features. */
  isLast?: boolean
}

/** The settings that the functions get include those of the feature. @internal */
export interface FeatureServer {
  /** Opens it after the store and the feed of changes, and before the endpoints. */
  plugin?: FastifyPluginCallback<never>
  /** Its endpoints by their paths. */
  endpoints?: Record<`/${string}`, Path>
  /** Makes its ways to log in on the login page, beside the password. */
  loginMethods?(app: FastifyInstance): LoginMethod[]
  /** Its part of the page where users see and change their account. */
  accountSection?: AccountSection
  /** Its members of the metadata of the authorization server, RFC 8414. */
  metadata?: Record<string, unknown>
  /** Reads documents that requests name instead of sending them. */
  readDocuments?(settings: ServiceSettings, check: CheckDocument): Promise<NamedDocuments | undefined>
  /** Finds a client that nobody has registered, by an id that is a URL. */
  findDescribedClient?: FindDescribedClient
}
