import { maxInt } from '../db/templates/table/columns.ts'
import { withStore } from './store.ts'
import { type Command, CommandError, readInteger } from './terminal/command.ts'
import { formatJson, toPlainText } from './terminal/plain-text.ts'
import { jsonOption, printList, printResult } from './terminal/result.ts'

const loadTemplates = async () => (await import('../store.ts')).templates

/** Reads an id, the number of a revision or a limit. Throws UsageError. */
const readNumber = (name: string, given: unknown): number => readInteger(`${name} must be`, given, 0, maxInt)

const limitOption = { type: 'string', value: 'count', help: 'maximum number; default: 50' } as const

const list: Command = {
  summary: 'List templates, most recently modified first',
  options: {
    search: { type: 'string', value: 'words', help: 'only templates with these words' },
    limit: limitOption,
    json: { type: 'boolean', help: 'print JSON, with the documents' }
  },
  async run({ sources, values }) {
    const templates = await loadTemplates()
    const limit = readNumber('--limit', values.limit ?? 50)
    const where = values.search === undefined ? {} : { search: values.search }
    const found = await withStore(sources, db => templates.list(db, { where, limit }))
    const rows = found.map(({ id, name, componentName, publicProduct, timeModified }) => ({
      id: String(id),
      name,
      componentName,
      publicProduct,
      timeModified
    }))
    printList(values, rows, found)
  }
}

const show: Command = {
  summary: 'Show a template as JSON',
  positionals: ['id'],
  options: {
    revision: { type: 'string', value: 'number', help: 'as it was in this revision' },
    json: { type: 'boolean', help: 'print JSON, the default' },
    data: { type: 'boolean', help: 'print only the document, byte for byte' }
  },
  async run({ sources, positionals, values }) {
    const templates = await loadTemplates()
    const id = readNumber('<id>', positionals[0])
    const number = values.revision === undefined ? undefined : readNumber('--revision', values.revision)
    const template = await withStore(sources, db =>
      number === undefined ? templates.find(db, id) : templates.findRevision(db, id, number)
    )
    if (!template) throw new CommandError(`there is no template ${id}${number ? `, revision ${number}` : ''}`)
    if (values.data === true && values.json !== true) process.stdout.write(template.data)
    else console.log(formatJson(template))
  }
}

const history: Command = {
  summary: 'List the revisions of a template, newest first',
  positionals: ['id'],
  options: { limit: limitOption, ...jsonOption },
  async run({ sources, positionals, values }) {
    const templates = await loadTemplates()
    const id = readNumber('<id>', positionals[0])
    const limit = readNumber('--limit', values.limit ?? 50)
    const revisions = await withStore(sources, db => templates.revisions(db, id, limit))
    if (revisions.length === 0) throw new CommandError(`there is no template ${id}`)
    const rows = revisions.map(({ number, action, timeRecorded, hash, clientId, message }) => ({
      revision: String(number),
      action,
      time: timeRecorded,
      sha256: hash ?? '',
      client: clientId ?? '',
      message: message ?? ''
    }))
    printList(values, rows, revisions)
  }
}

const diff: Command = {
  summary: 'Show the difference between two revisions of a template',
  positionals: ['id', 'from', 'to'],
  options: { json: { type: 'boolean', help: 'print a JSON Patch, RFC 6902' } },
  async run({ sources, positionals: [given, first, second], values }) {
    const { unmetered } = await import('../db/templates/meter.ts')
    const { diffRevisions } = await import('../db/templates/revisions/diff.ts')
    const templates = await loadTemplates()
    const id = readNumber('<id>', given)
    const [from, to] = [readNumber('a revision', first), readNumber('a revision', second)]
    const diff = await withStore(sources, async db => {
      const find = async (number: number) => {
        const template = await templates.findRevision(db, id, number)
        if (!template) throw new CommandError(`there is no template ${id}, revision ${number}`)
        return template
      }
      return diffRevisions(await find(from), await find(to), unmetered())
    })
    const text = diff.text && toPlainText(diff.text)
    const shown = values.json === true ? diff.patch && formatJson(diff.patch) : text
    if (shown === null) throw new CommandError('the revisions differ too much to compare them')
    console.log(shown)
  }
}

const restore: Command = {
  summary: 'Give a template the contents of one of its revisions',
  positionals: ['id', 'revision'],
  options: {
    message: { type: 'string', value: 'text', help: 'why; kept with the new revision' },
    ...jsonOption
  },
  details: 'The contents become a new revision. A deleted template exists again.',
  async run({ sources, positionals: [given, revision], values }) {
    const templates = await loadTemplates()
    const { nobody } = await import('../db/templates/revisions/revisions.ts')
    const id = readNumber('<id>', given)
    const number = readNumber('<revision>', revision)
    const author = { ...nobody, message: (values.message as string) ?? null }
    const { product, problems } = await withStore(sources, db =>
      templates.restore(db, id, number, { author })
    )
    if (!product) throw new CommandError(problems.map(({ message }) => message).join('; '))
    printResult(
      values,
      product,
      `Template ${id} has the contents of revision ${number} as revision ${product.revision}.`
    )
  }
}

export const commands: Record<string, Command> = {
  'template list': list,
  'template show': show,
  'template history': history,
  'template diff': diff,
  'template restore': restore
}
