import type { SettingSources } from '../../options/sources.ts'
import type { ProcessSettings } from '../../options.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { formatJson, toPlainText } from '../terminal/plain-text.ts'
import { type Check, type Finding, findingsOf } from './finding.ts'

export const command: Command = {
  summary: 'Check the installation and say what to do about what is wrong',
  settings: 'all',
  options: {
    full: { type: 'boolean', help: 'compare all templates, not 1000 of them' },
    json: { type: 'boolean', help: 'print JSON' }
  },
  details: `
Changes nothing, and may run beside services. Exit code 0: all is well; 1: there are warnings; 2: there are
problems. The settings must be those of the service.`,
  async run({ sources, values }) {
    const findings = await examine(sources, values.full === true)
    if (values.json) console.log(formatJson(findings))
    else for (const finding of findings) console.log(toPlainText(format(finding)))
    const count = (status: Finding['status']) => findings.filter(found => found.status === status).length
    const [problems, warnings] = [count('problem'), count('warning')]
    if (problems + warnings > 0)
      throw new CommandError(`problems: ${problems}, warnings: ${warnings}`, problems > 0 ? 2 : 1)
  }
}

const format = ({ check, status, text, mend }: Finding): string =>
  `${status.padEnd(9)}${check.padEnd(12)}${text}${mend === undefined ? '' : `\n${' '.repeat(21)}${mend}`}`

async function examine(sources: SettingSources, full: boolean): Promise<Finding[]> {
  const findings = [await checkRuntime()]
  const { readSettings } = await import('../../options.ts')
  const settings = findingsOf('settings')
  try {
    const { settings: read } = readSettings(sources)
    return [...findings, settings.ok('valid'), ...(await examineDatabase(read, full))]
  } catch (error) {
    const { SettingsError } = await import('../../options/check.ts')
    if (!(error instanceof SettingsError)) throw error
    return [...findings, ...error.problems.map(text => settings.problem(text, 'see docs/configuration.md'))]
  }
}

async function checkRuntime(): Promise<Finding> {
  const { ok, problem } = findingsOf('runtime')
  const modules = [() => import('better-sqlite3'), () => import('@node-rs/argon2')]
  try {
    await Promise.all(modules.map(load => load()))
    return ok(`Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  } catch (error) {
    return problem((error as Error).message, 'install the package again, on this kind of machine')
  }
}

async function examineDatabase(settings: ProcessSettings, full: boolean): Promise<Finding[]> {
  const { inspectDatabase } = await import('../../db/inspect.ts')
  const { isInMemory } = await import('../../db/url.ts')
  const { ok, problem } = findingsOf('database')
  if (isInMemory(settings.database)) return [ok('in memory: there is nothing to examine')]
  const { checkDatabase, checkMigrations } = await import('./database.ts')
  const { checkTemplates } = await import('./templates.ts')
  const { checkKeys } = await import('./keys.ts')
  const { checkDisk } = await import('./disk.ts')
  const { checkClock } = await import('./clock.ts')
  const { checkDemo } = await import('./demo.ts')
  const findings: Finding[] = []
  try {
    await inspectDatabase(settings.database, settings, async db => {
      const run = async (check: Check) => {
        const found = await check(db, settings, full)
        findings.push(...found)
        return found
      }
      await run(checkDatabase)
      await run(checkDisk)
      const migrated = await run(checkMigrations)
      // The others read tables that may be missing.
      if (migrated.some(({ status }) => status === 'problem')) return
      for (const check of [checkTemplates, checkKeys, checkClock, checkDemo]) await run(check)
    })
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    findings.push(
      problem(
        `${message}${code ? ` (${code})` : ''}`,
        'see docs/backup.md for damaged files, docs/postgresql.md for servers'
      )
    )
  }
  return findings
}
