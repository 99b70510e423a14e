import { statSync } from 'node:fs'
import type { Test } from 'tap'
import { readTemplatesVersion } from '../../../db/versions.ts'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { openDatabase } from '../../../features/database.ts'
import { WorkerThreads } from '../../../graphql/threads/pool.ts'
import type { ThreadTask } from '../../../graphql/threads/thread.ts'
import { parseServiceOptions, type ServiceOptions } from '../../../options/index.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { addTemplates } from '../../support/service/service.ts'

type Limits = ConstructorParameters<typeof WorkerThreads>[1]

/** Makes the worker threads of a service on a database. */
export function openThreads(
  database: string,
  limits: Limits = {},
  settings: ServiceOptions = {}
): WorkerThreads {
  const path = database.startsWith('sqlite:') ? database.slice('sqlite:'.length) : undefined
  const file = path === undefined ? undefined : { path, inode: statSync(path).ino }
  const source = { url: database, options: {}, file }
  return new WorkerThreads({ settings: parseServiceOptions({ ...settings, database }), source }, limits)
}

/** Creates a database with templates, and worker threads on it that execute very large operations. */
export async function threadsOn(t: Test, templates: Partial<ProductTemplate>[], limits: Limits = {}) {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addTemplates(db, ...templates)
  const templatesVersion = (await readTemplatesVersion(db)) ?? ''
  const pool = openThreads(url, limits, {
    graphqlTimeout: 600,
    graphqlMaxCost: 1_000_000_000,
    graphqlMaxAliases: 10_000,
    graphqlMaxTokens: 10_000,
    graphqlMaxSourceLength: 65_536
  })
  t.teardown(() => pool.close())
  /** Executes an operation on a thread. Resolves with the text of the response. */
  const run = (
    query: string,
    { token = 'one', isShort = false, signal = new AbortController().signal, ...more }: RunOptions = {}
  ) =>
    pool
      .run(() => makeTask(query, { templatesVersion, ...more }), { token, isShort, signal })
      .then(({ executed: { body } }) => (typeof body === 'string' ? body : Buffer.concat(body).toString()))
  return { url, db, pool, run }
}

type RunOptions = Partial<ThreadTask & { token: string; isShort: boolean; signal: AbortSignal }>

/** Makes the task of an operation of somebody with all scopes. */
export const makeTask = (query: string, more: Partial<ThreadTask> = {}): ThreadTask => ({
  parameters: { query },
  caller,
  templatesVersion: '',
  issuer: 'http://localhost',
  maxResultSize: 2 ** 30,
  milliseconds: 600_000,
  ...more
})

export const caller: ThreadTask['caller'] = {
  subject: 'ada',
  clientId: 'test-client',
  scopes: ['read', 'write'],
  mayPublish: true,
  role: null,
  rule: undefined,
  name: null,
  address: null,
  idempotencyKey: null,
  lastEventId: null
}
