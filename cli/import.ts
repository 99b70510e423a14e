import type { OptionValues } from 'commander'
import type { Db } from '../db/schema.ts'
import type { ImportOptions } from '../db/templates/import/report.ts'
import type { NewTemplate } from '../domain/validation/record.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'
import type { Place } from '../terminal/file-format.ts'
import { startProgress } from '../terminal/progress.ts'
import { collectNotes, printJson, toPlainLine } from '../terminal/result.ts'
import { bulkTimeout, withStore } from '../terminal/store.ts'
import { formatOption, importOptions, openImport } from './formats/formats.ts'
import { describeIgnored, describeResult, formatImportProblem, summarize } from './formats/report.ts'

export const command: Command = {
  summary: 'Import templates from files and folders',
  args: '<file...>',
  options: {
    ...formatOption,
    '--dry-run': 'report every problem and write nothing',
    '--on-problem <what>': {
      help: 'stop at the first problem (default), skip templates with problems, or report all problems',
      choices: ['stop', 'skip', 'report']
    },
    '--validation <mode>': {
      help: 'enforce, warn (default) or off: how to treat a template that fails the checks of new templates',
      choices: ['enforce', 'warn', 'off']
    },
    ...importOptions,
    '--keep': 'leave existing templates as they are',
    '--replace': 'replace existing templates',
    '--json': 'print the summary as JSON'
  },
  details: `
Imports all templates or, if there is a problem, none; with \`--on-problem skip\`, those without problems. The file -
is standard input. Without --keep and --replace, a template whose id exists is a problem. docs/import.md
describes the formats.`,
  async run(call, ...paths) {
    const { sources, options } = call
    const given = readOptions(options)
    const { fullRights } = await import('../db/templates/writing/rights.ts')
    const decisions = { ...given, author: fullRights }
    const { ImportConflict, importTemplates } = await import('../db/templates/import/import.ts')
    const { ensureIndexed } = await import('../db/templates/template-index/state.ts')
    const { findFiles, openInputs, readInputs } = await import('./formats/inputs.ts')
    const check = await makeCheck(options.validation)
    const files = await findFiles(paths, options.format)
    const opened = await openImport(call, files)
    if (!opened) return
    const inputs = await openInputs(files, opened)
    const progress = startProgress('Importing (KiB)')
    const { notes, note } = collectNotes(options.json)
    const ignored = inputs.reduce((sum, { ignored = 0 }) => sum + ignored, 0)
    if (ignored > 0 && !options.json) console.error(describeIgnored(ignored))
    const result = await withStore(
      sources,
      async (db, settings) => {
        if (opened.needsIndex) await ensureIndexed(db)
        const read = (db: Db) => {
          const readers = opened.makeReaders(db, decisions)
          return readInputs(inputs, { readers, note }, progress.update)
        }
        return importTemplates(db, read, {
          ...decisions,
          validate: template => check(template, settings.maxDataSize),
          report: problem => options.json || console.error(toPlainLine(formatImportProblem(problem)))
        })
      },
      bulkTimeout
    ).catch(error => {
      if (error instanceof ImportConflict) throw new CommandError(`${error.message}; nothing was written`)
      throw error
    })
    if (options.json) printJson(summarize(result, { ignored, notes }))
    const text = describeResult(result, options.dryRun)
    if (result.refused > 0 && !result.written) throw new CommandError(text)
    progress.finish(text)
  }
}

function readOptions({
  onProblem = 'stop',
  keep,
  replace,
  dryRun = false
}: OptionValues): Omit<ImportOptions<Place>, 'author'> {
  if (keep && replace) throw new UsageError('give --keep or --replace, not both')
  return { onProblem, existing: keep ? 'keep' : replace ? 'replace' : 'refuse', dryRun }
}

/**
 * Makes the check of a template. By default, its problems are only warnings, because exported templates may be older
 * than the checks. Only a document that is not JSON is still a problem, because the file is then probably damaged.
 */
async function makeCheck(mode = 'warn') {
  const { requireJson, validateTemplate } = await import('../domain/validation/validate.ts')
  return (template: Partial<NewTemplate>, maxDataSize: number) => {
    if (mode === 'off') return { problems: [], warnings: [] }
    const { problems } = validateTemplate(template, { validation: 'enforce', maxDataSize })
    if (mode === 'enforce' || problems.length === 0) return { problems, warnings: [] }
    const warnings = problems.filter(({ code }) => code !== 'INVALID_JSON')
    return { ...requireJson(template), warnings }
  }
}
