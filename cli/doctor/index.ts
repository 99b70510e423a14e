import { isInMemory } from '../../db/url.ts'
import { loadParts } from '../../features/load.ts'
import { type ProcessSettings, readSettings } from '../../options/index.ts'
import { SettingsError } from '../../options/setting.ts'
import { type Command, CommandError } from '../../terminal/command.ts'
import { type Check, type Doctor, type Finding, ok, problem } from '../../terminal/finding.ts'
import { printJson, toPlainText } from '../../terminal/result.ts'

export const command: Command = {
  summary: 'Check the installation and suggest a fix for each problem',
  settings: 'all',
  options: {
    '--full': 'compare all templates with the index and the revisions, not a sample of 1000',
    '--json': 'print JSON'
  },
  details: `
Changes nothing, and may run beside services. Exit code 0: no warnings; 1: there are warnings; 2: there are
problems. Use the settings of the service.`,
  async run({ sources, options }) {
    const findings = [await checkRuntime()]
    try {
      const { settings } = readSettings(sources)
      findings.push(ok('settings', 'valid'))
      const doctors = await loadParts('doctor')
      for (const { checkSettings } of doctors) findings.push(...((await checkSettings?.(settings)) ?? []))
      findings.push(...(await examineDatabase(settings, doctors, options.full === true)))
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      findings.push(...error.problems.map(text => problem('settings', text, 'see docs/configuration.md')))
    }
    if (options.json) printJson(findings)
    else for (const finding of findings) console.log(toPlainText(format(finding)))
    const count = (status: Finding['status']) => findings.filter(found => found.status === status).length
    const [problems, warnings] = [count('problem'), count('warning')]
    if (problems + warnings > 0)
      throw new CommandError(`problems: ${problems}, warnings: ${warnings}`, problems > 0 ? 2 : 1)
  }
}

const format = ({ check, status, text, fix }: Finding): string =>
  `${status.padEnd(9)}${check.padEnd(12)}${text}${fix === undefined ? '' : `\n${' '.repeat(21)}${fix}`}`

async function checkRuntime(): Promise<Finding> {
  try {
    await Promise.all([import('better-sqlite3'), import('@node-rs/argon2')])
    return ok('runtime', `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  } catch (error) {
    const fix = 'install the package again, on this kind of machine'
    return problem('runtime', (error as Error).message, fix)
  }
}

async function examineDatabase(
  settings: ProcessSettings,
  doctors: Doctor[],
  full: boolean
): Promise<Finding[]> {
  if (isInMemory(settings.database)) return [ok('database', 'in memory: there is nothing to examine')]
  const { checkClock, checkDatabase, checkMigrations, checkTemplates, inspectDatabase } = await import(
    './database.ts'
  )
  const { checkDemo, checkKeys } = await import('./credentials.ts')
  const { checkDisk } = await import('./disk.ts')
  const findings: Finding[] = []
  try {
    await inspectDatabase(settings, async db => {
      const run = async (checks: Check[]) => {
        for (const check of checks)
          for await (const finding of check(db, settings, full)) findings.push(finding)
      }
      const ofFeatures = doctors.flatMap(({ check }) => check ?? [])
      await run([checkDatabase, checkDisk(doctors), ...ofFeatures, checkMigrations])
      // The other checks read tables that may be missing.
      if (findings.at(-1)?.status === 'ok') await run([checkTemplates, checkKeys, checkClock, checkDemo])
    })
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    const fix = 'see docs/backup.md for damaged files, docs/postgresql.md for servers'
    findings.push(problem('database', `${message}${code ? ` (${code})` : ''}`, fix))
  }
  return findings
}
