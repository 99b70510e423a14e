import { cpus } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres/postgres.ts'
import { contenders } from './contenders/index.ts'
import { compareContenders } from './queries.ts'
import type { Group, Results, Row } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { seedDatabase, startService } from './servers.ts'
import type { Settings } from './settings.ts'
import { type Storm, storm } from './storm.ts'
import { cores } from './subject.ts'
import { tokenSubjects } from './tokens.ts'

/** The number of templates with which PostgreSQL is measured. */
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
    tokens: await measureTokens(settings, folder),
    ...(isWanted(settings, 'start') && { start: await measureStart(folder) }),
    ...(isWanted(settings, 'storm') && { storm: await measureStorm(folder) })
  }
}

const isWanted = ({ only }: Settings, name: string) => only.length === 0 || only.includes(name)

async function measureSizes(settings: Settings, folder: string): Promise<Group[]> {
  const groups: Group[] = []
  if (!settings.postgres && !Object.keys(contenders).some(name => isWanted(settings, name))) return groups
  for (const templates of settings.templates) {
    const file = join(folder, `${templates}.db`)
    await seedDatabase(`sqlite:${file}`, templates)
    const usesPostgres = settings.postgres && templates === postgresTemplates
    const server = usesPostgres ? await startPostgres() : undefined
    try {
      if (server) await seedDatabase(server.url, templates)
      const store = { file, postgres: server?.url }
      for (const fields of settings.fields)
        groups.push(await compareContenders(store, { templates, fields }, settings))
    } finally {
      await server?.stop()
    }
  }
  return groups
}

async function measureTokens(settings: Settings, folder: string): Promise<Row[]> {
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
