import type { Db } from '../db/schema.ts'
import { maxInt } from '../domain/columns.ts'
import { type Command, CommandError, readInteger } from '../terminal/command.ts'
import { formatJson, jsonOption, printJson, printList, printResult, toPlainText } from '../terminal/result.ts'
import { withStore } from '../terminal/store.ts'

const loadTemplates = async () => (await import('../store.ts')).templates

/** Reads an id, the number of a revision or a limit. Throws UsageError. */
const readNumber = (name: string, given: string): number => readInteger(name, given, 0, maxInt)

/** Finds a template, or one of its revisions. Throws CommandError if there is none. */
async function find(db: Db, id: number, revision?: number) {
  const templates = await loadTemplates()
  const found =
    revision === undefined ? await templates.find(db, id) : await templates.findRevision(db, id, revision)
  if (found) return found
  throw new CommandError(
    `there is no template ${id}${revision === undefined ? '' : `, revision ${revision}`}`
  )
}

const limitOption = { '--limit <count>': 'maximum number; default: 50' }

const list: Command = {
  summary: 'List templates, most recently modified first',
  options: {
    '--search <words>': 'only templates with these words',
    ...limitOption,
    '--json': 'print JSON, with the documents'
  },
  async run({ sources, options }) {
    const templates = await loadTemplates()
    const limit = readNumber('--limit', options.limit ?? '50')
    const { search } = options
    const where = search === undefined ? {} : { search }
    const found = await withStore(sources, db => templates.list(db, { where, limit }))
    const columns = ['id', 'name', 'componentName', 'publicProduct', 'timeModified'] as const
    const rows = found.map(template => Object.fromEntries(columns.map(name => [name, template[name]])))
    printList(options, rows, found)
  }
}

const show: Command = {
  summary: 'Show a template as JSON',
  args: '<id>',
  options: {
    '--revision <number>': 'show the template as it was in this revision',
    '--json': 'print JSON, the default',
    '--data': 'print only the document, byte for byte'
  },
  async run({ sources, options }, given) {
    const id = readNumber('<id>', given)
    const number = options.revision === undefined ? undefined : readNumber('--revision', options.revision)
    const template = await withStore(sources, db => find(db, id, number))
    if (options.data && !options.json) process.stdout.write(template.data)
    else printJson(template)
  }
}

const history: Command = {
  summary: 'List the revisions of a template, newest first',
  args: '<id>',
  options: { ...limitOption, ...jsonOption },
  async run({ sources, options }, given) {
    const templates = await loadTemplates()
    const id = readNumber('<id>', given)
    const limit = readNumber('--limit', options.limit ?? '50')
    const revisions = await withStore(sources, db => templates.revisions(db, id, limit))
    if (revisions.length === 0) throw new CommandError(`there is no template ${id}`)
    const rows = revisions.map(({ number, action, timeRecorded, hash, clientId, message }) => ({
      revision: number,
      action,
      time: timeRecorded,
      sha256: hash,
      client: clientId,
      message
    }))
    printList(options, rows, revisions)
  }
}

const diff: Command = {
  summary: 'Show the difference between two revisions of a template',
  args: '<id> <from> <to>',
  options: { '--json': 'print a JSON Patch, RFC 6902' },
  async run({ sources, options }, given, first, second) {
    const { diffRevisions } = await import('../domain/diff.ts')
    const id = readNumber('<id>', given)
    const [from, to] = [readNumber('a revision', first), readNumber('a revision', second)]
    const diff = await withStore(sources, async db =>
      diffRevisions(await find(db, id, from), await find(db, id, to))
    )
    const text = diff.text && toPlainText(diff.text)
    const shown = options.json ? diff.patch && formatJson(diff.patch) : text
    if (shown === null) throw new CommandError('the revisions differ too much to compare them')
    console.log(shown)
  }
}

const restore: Command = {
  summary: 'Restore an earlier revision of a template',
  args: '<id> <revision>',
  options: { '--message <text>': 'reason, stored with the new revision', ...jsonOption },
  details: 'The restored contents become a new revision. The template may have been deleted.',
  async run({ sources, options }, given, revision) {
    const templates = await loadTemplates()
    const { fullRights } = await import('../db/templates/writing/rights.ts')
    const id = readNumber('<id>', given)
    const number = readNumber('<revision>', revision)
    const author = { ...fullRights, message: options.message ?? null }
    const {
      product,
      revision: written,
      problems
    } = await withStore(sources, db => templates.restore(db, id, number, { author }))
    if (!product) throw new CommandError(problems.map(({ message }) => message).join('; '))
    const text =
      written === null
        ? `Template ${id} already equals revision ${number}.`
        : `Restored revision ${number} of template ${id} as revision ${written}.`
    printResult(options, product, text)
  }
}

export const command: Command = {
  summary: 'Show and restore templates',
  subcommands: { list, show, history, diff, restore }
}
