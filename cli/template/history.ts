import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'
import { formatJson } from '../terminal/plain-text.ts'
import { readNumber } from './number.ts'

export const command: Command = {
  summary: 'List the revisions of a template, newest first',
  positionals: ['id'],
  options: {
    limit: { type: 'string', value: 'count', help: 'maximum number; default: 50' },
    json: { type: 'boolean', help: 'print JSON' }
  },
  async run({ sources, positionals, values }) {
    const { templates } = await import('../../store.ts')
    const id = readNumber('<id>', positionals[0])
    const limit = readNumber('--limit', values.limit ?? 50)
    const revisions = await withStore(sources, db => templates.revisions(db, id, limit))
    if (revisions.length === 0) throw new CommandError(`there is no template ${id}`)
    if (values.json === true) return console.log(formatJson(revisions))
    const rows = revisions.map(({ number, action, timeRecorded, hash, clientId, message }) => ({
      revision: String(number),
      action,
      time: timeRecorded,
      sha256: hash ?? '',
      client: clientId ?? '',
      message: message ?? ''
    }))
    printList(rows, false)
  }
}
