import { readFileSync } from 'node:fs'
import type { RegisterOptions } from 'fastify'
import leven from 'leven'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { AnyDb } from './db/schema.ts'
import { StartError } from './errors.ts'

/** The one database whose directory is made when it is missing. */
export const defaultDatabase = 'sqlite:./data/templates.db'

/**
 * All settings, once: each entry is the type, the check, the default and the documentation, and names
 * its environment variable in `env`. A `secret` is never printed.
 */
const serviceSettings = {
  database: Type.String({
    env: 'DATABASE_URL',
    secret: true,
    default: defaultDatabase,
    pattern: '^sqlite:.+$',
    expected: '`sqlite:<path>` or `sqlite::memory:`',
    description: 'where the data lives: `sqlite:<path>` or `sqlite::memory:`'
  }),
  issuer: Type.Optional(
    Type.String({
      env: 'ISSUER',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$',
      expected: 'an http(s) URL without query, fragment or trailing slash',
      description: '`iss` of the tokens; without it the address the service listens on'
    })
  ),
  accessTokenTtl: Type.Integer({
    env: 'ACCESS_TOKEN_TTL',
    default: 86_400,
    minimum: 1,
    maximum: 31_536_000,
    description: 'seconds an access token stays valid'
  }),
  passwordMemory: Type.Integer({
    env: 'PASSWORD_MEMORY',
    default: 47_104,
    minimum: 7_168,
    maximum: 4_194_304,
    description: 'argon2id memory of a new password hash, in KiB'
  }),
  passwordIterations: Type.Integer({
    env: 'PASSWORD_ITERATIONS',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'argon2id passes of a new password hash'
  }),
  passwordParallelism: Type.Integer({
    env: 'PASSWORD_PARALLELISM',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'argon2id lanes of a new password hash'
  })
}

const processSettings = {
  host: Type.String({
    env: 'HOST',
    default: '127.0.0.1',
    minLength: 1,
    expected: 'a host name or an address',
    description: 'where to listen'
  }),
  port: Type.Integer({
    env: 'PORT',
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'where to listen; 0 picks a free port, which the log names'
  }),
  socketPath: Type.Optional(
    Type.String({
      env: 'SOCKET_PATH',
      minLength: 1,
      maxLength: 107,
      expected: 'a path of at most 107 characters',
      description: 'listen on this Unix domain socket instead'
    })
  ),
  logLevel: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'LOG_LEVEL',
    default: 'info',
    description: 'pino level; JSON lines on stdout, pretty on a terminal'
  }),
  environment: Type.Optional(Type.String({ env: 'NODE_ENV', description: '`production`: no demo data' }))
}

const ServiceSettings = Type.Object(serviceSettings)
/** Settings of the process: those of the service, and where it listens and logs. */
export const ProcessSettings = Type.Object({ ...serviceSettings, ...processSettings })

export type ServiceSettings = Static<typeof ServiceSettings>
export type ProcessSettings = Static<typeof ProcessSettings>

/** What `app.register(productTemplates, …)` takes. Everything is optional. */
export interface ServiceOptions extends Partial<ServiceSettings> {
  /** A Kysely instance of the host's own, used instead of `database`. The host closes it. */
  db?: AnyDb
}

/** A setting as `docs` and `--help` show it. */
export interface SettingEntry extends Record<string, unknown> {
  env: string
  description: string
  default?: unknown
  secret?: boolean
  expected?: string
}

/** The settings of the service without those of the process. */
export function serviceOptions(settings: ProcessSettings): ServiceSettings {
  const names = Object.keys(serviceSettings)
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => names.includes(name))
  ) as ServiceSettings
}

type Names = { [option: string]: string }

/** Checks the options of a plugin. Throws {@link StartError} that names every problem at once. */
export function parseServiceOptions(
  given: ServiceOptions & RegisterOptions
): ServiceSettings & { db?: AnyDb } {
  // Fastify's own options of `register` come along.
  const { db, prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...settings } = given
  const names: Names = Object.fromEntries(Object.keys(serviceSettings).map(name => [name, name]))
  const parsed = check(
    ServiceSettings,
    settings,
    names,
    unknownNames(Object.keys(settings), Object.keys(names))
  )
  return db === undefined ? parsed : { ...parsed, db }
}

/**
 * The only reader of the environment. A secret `NAME` may come as `NAME_FILE`, the path of a file.
 * Throws {@link StartError} that names every problem at once.
 */
export function optionsFromEnv(env: NodeJS.ProcessEnv): ProcessSettings {
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  const names: Names = {}
  for (const [option, schema] of Object.entries(ProcessSettings.properties)) {
    const entry = schema as unknown as SettingEntry
    names[option] = entry.env
    const text = entry.secret ? secretText(env, entry.env, problems) : env[entry.env]
    if (text !== undefined && text !== '')
      given[option] = /^-?\d{1,15}$/.test(text) && entry.type === 'integer' ? Number(text) : text
  }
  // Short names are too near to other programs' variables to be called a slip of ours.
  const known = Object.values(names).filter(name => name.length >= 8)
  const near = Object.keys(env).filter(name => !Object.values(names).includes(name) && nearest(name, known))
  return check(ProcessSettings, given, names, [...problems, ...unknownNames(near, known)])
}

function secretText(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  if (env[name]) problems.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    problems.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
    return undefined
  }
}

function check<S extends TSchema>(schema: S, given: object, names: Names, problems: string[]): Static<S> {
  const { properties } = schema as unknown as { properties: Record<string, TSchema> }
  const value = Value.Default(schema, { ...given }) as Record<string, unknown>
  const wrong = Object.entries(properties)
    .filter(([option, entry]) => value[option] !== undefined && !Value.Check(entry, value[option]))
    .map(([option, entry]) =>
      complaint(names[option] ?? option, entry as unknown as SettingEntry, value[option])
    )
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new StartError('PTS_BAD_OPTION', all.join('; '))
  return Object.freeze(value) as Static<S>
}

function complaint(name: string, entry: SettingEntry, value: unknown): string {
  const got = entry.secret ? '' : `, not ${JSON.stringify(value)}`
  return `${name} must be ${expected(entry)}${got}`
}

function expected(entry: SettingEntry): string {
  if (entry.expected) return entry.expected
  if (entry.enum) return `one of ${(entry.enum as string[]).join(', ')}`
  return `an integer from ${entry.minimum} to ${entry.maximum}`
}

function unknownNames(given: string[], known: string[]): string[] {
  return given
    .filter(name => !known.includes(name))
    .map(name => {
      const near = nearest(name, known)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })
}

/** The known name at most two slips away, for "did you mean". */
export function nearest(name: string, known: string[]): string | undefined {
  const ranked = known.map(candidate => ({ candidate, slips: leven(name, candidate) }))
  return ranked.sort((a, b) => a.slips - b.slips).find(({ slips }) => slips <= 2)?.candidate
}
