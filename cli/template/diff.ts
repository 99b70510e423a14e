import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { formatJson, toPlainText } from '../terminal/plain-text.ts'
import { readNumber } from './number.ts'

export const command: Command = {
  summary: 'Show the difference between two revisions of a template',
  positionals: ['id', 'from', 'to'],
  options: { json: { type: 'boolean', help: 'print a JSON Patch, RFC 6902' } },
  async run({ sources, positionals: [given, ...numbers], values }) {
    const { unmetered } = await import('../../db/templates/meter.ts')
    const { diffRevisions } = await import('../../db/templates/revisions/diff.ts')
    const { templates } = await import('../../store.ts')
    const id = readNumber('<id>', given)
    const [from, to] = numbers.map(number => readNumber('a revision', number)) as [number, number]
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
