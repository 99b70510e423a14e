import { cpus } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres/postgres.ts'
import { compareKinds } from './compare-kinds.ts'
import { contenders } from './contenders/index.ts'
import { kindTemplates } from './kinds.ts'
import { measureMixed } from './mixed.ts'
import { compareContenders } from './queries.ts'
import type { Group, Results, Row } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { seedDatabase, startService } from './servers.ts'
import type { Settings } from './settings.ts'
import { type Storm, storm } from './storm.ts'
import { cores } from './subject.ts'
import { tokenSubjects, tokenTitles } from './tokens.ts'

/** The number of templates with which PostgreSQL is measured besides the kinds. */
const postgresTemplates = 10

/** Runs all measurements of the settings, with databases in the folder. */
export async function measure(settings: Settings, folder: string): Promise<Results> {
  const { load, rounds, seconds } = settings
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`,
    node: process.version,
    command: ['npm run bench', ...process.argv.slice(2, 3).map(() => '--'), ...process.argv.slice(2)].join(
      ' '
    ),
    pinned: cores !== undefined,
    load,
    rounds,
    seconds,
    groups: await measureSizes(settings, folder),
    ...(await measureKinds(settings, folder)),
    tokens: await measureTokens(settings, folder),
    ...(isWanted(settings, 'start') && { start: await measureStart(folder) }),
    ...(isWanted(settings, 'storm') && { storm: await measureStorm(folder) })
  }
}

const isWanted = ({ only, kindsAlone }: Settings, name: string) =>
  !kindsAlone && (only.length === 0 || only.includes(name))

/** Whether some contender is wanted. */
const comparesContenders = ({ only, postgres }: Settings) =>
  postgres || only.length === 0 || only.some(name => name in contenders)

async function measureSizes(settings: Settings, folder: string): Promise<Group[]> {
  const groups: Group[] = []
  if (settings.kindsAlone || !comparesContenders(settings)) return groups
  for (const templates of settings.templates) {
    const usesPostgres = settings.postgres && templates === postgresTemplates
    const file = join(folder, `${templates}.db`)
    await withStore({ file, templates, usesPostgres }, async store => {
      for (const fields of settings.fields)
        groups.push(await compareContenders(store, { templates, fields }, settings))
    })
  }
  return groups
}

async function measureKinds(settings: Settings, folder: string): Promise<Pick<Results, 'kinds' | 'mixed'>> {
  if (!comparesContenders(settings)) return {}
  const wanted = { file: join(folder, 'kinds.db'), templates: kindTemplates, usesPostgres: settings.postgres }
  return withStore(wanted, async store => ({
    kinds: await compareKinds(store, settings),
    ...(settings.kinds.includes('mixed') && { mixed: await measureMixed(store, settings) })
  }))
}

/** Runs a measurement on a SQLite file and, if wanted, a PostgreSQL database with the same templates. */
async function withStore<Result>(
  { file, templates, usesPostgres }: { file: string; templates: number; usesPostgres: boolean },
  run: (store: { file: string; postgres: string | undefined }) => Promise<Result>
): Promise<Result> {
  await seedDatabase(`sqlite:${file}`, templates)
  const server = usesPostgres ? await startPostgres() : undefined
  try {
    if (server) await seedDatabase(server.url, templates)
    return await run({ file, postgres: server?.url })
  } finally {
    await server?.stop()
  }
}

async function measureTokens(settings: Settings, folder: string): Promise<Row[]> {
  if (!Object.keys(tokenTitles).some(name => isWanted(settings, name))) return []
  const database = `sqlite:${join(folder, 'tokens.db')}`
  await seedDatabase(database, 1)
  const subjects = await tokenSubjects(database, settings.connections)
  const wanted = subjects.filter(({ name }) => isWanted(settings, name))
  return measureInRounds(wanted, settings, 'tokens')
}

async function measureStart(folder: string): Promise<NonNullable<Results['start']>> {
  const service = await startService(`sqlite:${join(folder, 'start.db')}`, ['--demo'])
  const start = { milliseconds: Math.round(service.milliseconds), mebibytes: Math.round(service.mebibytes()) }
  await service.stop()
  return start
}

async function measureStorm(folder: string): Promise<Storm> {
  console.error('storm of logins')
  const database = `sqlite:${join(folder, 'storm.db')}`
  await seedDatabase(database, 11)
  return storm(database)
}
