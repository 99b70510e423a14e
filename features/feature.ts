import type { FastifyInstance } from 'fastify'
import type { Migration } from 'kysely/migration'
import type { VerifyTrusted } from '../accounts/credentials/access-token.ts'
import type { TableFacts } from '../db/tables.ts'
import type { ActionText } from '../domain/audit-actions.ts'
import type { SchemaChange } from '../graphql/api.ts'
import type { HostOptions } from '../options/host.ts'
import type { ServiceOptions, ServiceSettings } from '../options/index.ts'
import type { Settings, Values } from '../options/setting.ts'
import type { ServerAddition } from '../routes/server-addition.ts'
import type { Definition } from '../runtime/metrics/definitions.ts'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import type { Command } from '../terminal/command.ts'
import type { FileFormats } from '../terminal/file-format.ts'
import type { Doctor } from '../terminal/finding.ts'

/**
 * What a feature may give. `index.ts` lists the features; the service and the commands pass down what they give, and
 * the core names none. This object is data and short checks: the rest is imported when it is needed. The build leaves
 * internal members out of the types of the package.
 */
export interface Feature<Own extends Settings = Settings> {
  /** Its settings, which are also variables and flags: `someOption` is SOME_OPTION and `--some-option`. */
  settings?: Own
  /**
   * Finds settings that contradict each other. Absent values are replaced by their defaults. It is called only if no
   * value is wrong. `nameOf` returns the name of an option for a message.
   */
  findContradictions?(settings: Values<Own> & HostOptions, nameOf: (option: string) => string): string[]
  /** Whether the service uses its `server`, `schema` and `makeVerifiers`; without it, always. */
  isOn?(settings: Values<Own>): boolean
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
  /** What changes the schema of GraphQL. Separate from `server`, because worker threads also load it. @internal */
  schema?(): Promise<{ schema: SchemaChange }>
  /** What `serve` opens before the service, of which it may give some options. @internal */
  beforeServe?(): Promise<{
    beforeServe(app: FastifyInstance, metrics: Metrics): Promise<ServiceOptions | undefined>
  }>
  /** Makes the verifiers of other issuers' tokens, by `iss`. @internal */
  makeVerifiers?(): Promise<{
    makeVerifiers(app: FastifyInstance, settings: ServiceSettings): Promise<Map<unknown, VerifyTrusted>>
  }>
  /** What it adds to a running service. @internal */
  server?(): Promise<{ server: ServerAddition }>
}
