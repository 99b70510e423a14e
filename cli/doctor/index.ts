import type { ProcessSettings } from '../../options.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { formatJson, toPlainText } from '../terminal/plain-text.ts'
import { type Finding, Findings } from './finding.ts'

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
    const { readSettings } = await import('../../options.ts')
    const { SettingsError } = await import('../../options/check.ts')
    const findings = new Findings()
    await checkRuntime(findings)
    try {
      const { settings } = readSettings(sources)
      findings.ok('settings', 'valid')
      await examineDatabase(findings, settings, values.full === true)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      for (const text of error.problems) findings.problem('settings', text, 'see docs/configuration.md')
    }
    if (values.json) console.log(formatJson(findings.all))
    else for (const finding of findings.all) console.log(toPlainText(format(finding)))
    const [problems, warnings] = [findings.count('problem'), findings.count('warning')]
    if (problems + warnings > 0)
      throw new CommandError(`problems: ${problems}, warnings: ${warnings}`, problems > 0 ? 2 : 1)
  }
}

const format = ({ check, status, text, mend }: Finding): string =>
  `${status.padEnd(9)}${check.padEnd(12)}${text}${mend === undefined ? '' : `\n${' '.repeat(21)}${mend}`}`

async function checkRuntime(findings: Findings): Promise<void> {
  try {
    await Promise.all([import('better-sqlite3'), import('@node-rs/argon2')])
    findings.ok('runtime', `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  } catch (error) {
    const mend = 'install the package again, on this kind of machine'
    findings.problem('runtime', (error as Error).message, mend)
  }
}

async function examineDatabase(findings: Findings, settings: ProcessSettings, full: boolean): Promise<void> {
  const { inspectDatabase } = await import('../../db/inspect.ts')
  const { isInMemory } = await import('../../db/url.ts')
  if (isInMemory(settings.database)) return findings.ok('database', 'in memory: there is nothing to examine')
  const { checkClock, checkDatabase, checkMigrations } = await import('./database.ts')
  const { checkTemplates } = await import('./templates.ts')
  const { checkDemo, checkKeys } = await import('./credentials.ts')
  const { checkDisk } = await import('./disk.ts')
  try {
    await inspectDatabase(settings.database, settings, async db => {
      await checkDatabase(findings, db)
      await checkDisk(findings, db, settings)
      // The others read tables that may be missing.
      if (!(await checkMigrations(findings, db))) return
      for (const check of [checkTemplates, checkKeys, checkClock, checkDemo])
        await check(findings, db, settings, full)
    })
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    const mend = 'see docs/backup.md for damaged files, docs/postgresql.md for servers'
    findings.problem('database', `${message}${code ? ` (${code})` : ''}`, mend)
  }
}
