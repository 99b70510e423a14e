import type { ImportOptions, NewTemplate } from '../db/templates/import/import.ts'
import { formatOption, type Place } from './formats/format.ts'
import { fieldOptions, readFieldOptions } from './formats/opensea/options.ts'
import { describeIgnored, describeResult, formatImportProblem, summarize } from './formats/report.ts'
import { bulkQueryTimeout, withStore } from './store.ts'
import { type Call, type Command, CommandError, UsageError } from './terminal/command.ts'
import { formatJson, toPlainLine } from './terminal/plain-text.ts'
import { startProgress } from './terminal/progress.ts'

const reactions = ['stop', 'skip', 'report'] as const

export const command: Command = {
  summary: 'Import templates from files and folders',
  positionals: ['file...'],
  options: {
    format: formatOption,
    'dry-run': { type: 'boolean', help: 'report every problem and write nothing' },
    'on-problem': {
      type: 'string',
      value: 'what',
      help: 'stop at the first problem (default), skip templates with problems, or report all problems'
    },
    validation: {
      type: 'string',
      value: 'mode',
      help: 'enforce, warn (default) or off: what to do if a template breaks the rules for new ones'
    },
    keep: { type: 'boolean', help: 'leave existing templates as they are' },
    replace: { type: 'boolean', help: 'replace existing templates' },
    ...fieldOptions,
    json: { type: 'boolean', help: 'print the summary as JSON' }
  },
  details: `
Imports all templates or, if there is a problem, none; with \`--on-problem skip\`, those without problems. The file -
is standard input. A template whose id exists is a problem without --keep or --replace. A folder has OpenSea metadata
in files such as 1.json; options give the fields that metadata does not have. docs/import.md describes the formats.`,
  async run({ sources, positionals: paths, values }) {
    const options = readOptions(values)
    const { ImportConflict, importTemplates } = await import('../db/templates/import/import.ts')
    const { openInputs, readInputs } = await import('./formats/inputs.ts')
    const check = await makeCheck(values.validation ?? 'warn')
    const format = values.format as string | undefined
    const inputs = await openInputs(paths, format, readFieldOptions(values))
    const progress = startProgress('Importing (KiB)')
    const asJson = values.json === true
    const ignored = inputs.reduce((sum, { ignored = 0 }) => sum + ignored, 0)
    if (ignored > 0 && !asJson) console.error(describeIgnored(ignored))
    const result = await withStore(
      sources,
      (db, settings) =>
        importTemplates(db, readInputs(inputs, progress.update), {
          ...options,
          validate: template => check(template, settings.maxDataSize),
          report: problem => asJson || console.error(toPlainLine(formatImportProblem(problem)))
        }),
      { databaseQueryTimeout: bulkQueryTimeout }
    ).catch(error => {
      if (error instanceof ImportConflict) throw new CommandError(`${error.message}; nothing was written`)
      throw error
    })
    if (asJson) console.log(formatJson(summarize(result, ignored)))
    const text = describeResult(result, options.dryRun === true)
    if (result.refused > 0 && !result.written) throw new CommandError(text)
    progress.finish(text)
  }
}

function readOptions(values: Call['values']): ImportOptions<Place> {
  const onProblem = values['on-problem'] ?? 'stop'
  const known = reactions.find(reaction => reaction === onProblem)
  if (!known) throw new UsageError(`--on-problem takes ${reactions.join(', ')}`)
  if (!['enforce', 'warn', 'off'].includes(String(values.validation ?? 'warn')))
    throw new UsageError('--validation takes enforce, warn, off')
  if (values.keep && values.replace) throw new UsageError('give --keep or --replace, not both')
  return {
    onProblem: known,
    existing: values.keep ? 'keep' : values.replace ? 'replace' : 'refuse',
    dryRun: values['dry-run'] === true
  }
}

/** Makes the check of a template that could be stored. Stored templates may break the rules of today, so that is a warning. */
async function makeCheck(mode: unknown) {
  const { validateTemplate } = await import('../db/templates/validation/validate.ts')
  return (template: Partial<NewTemplate>, maxDataSize: number) => {
    if (mode === 'off') return { problems: [], warnings: [] }
    const { problems } = validateTemplate(template, { validation: 'enforce', maxDataSize })
    return mode === 'enforce' ? { problems, warnings: [] } : { problems: [], warnings: problems }
  }
}
