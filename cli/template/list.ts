import type { Db } from '../../db/schema.ts'
import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'
import { formatJson } from '../terminal/plain-text.ts'
import { readNumber } from './number.ts'

export const command: Command = {
  summary: 'List templates, most recently modified first',
  options: {
    search: { type: 'string', value: 'words', help: 'only templates with these words' },
    limit: { type: 'string', value: 'count', help: 'maximum number; default: 50' },
    json: { type: 'boolean', help: 'print JSON, with the documents' }
  },
  async run({ sources, values }) {
    const { templates } = await import('../../store.ts')
    const limit = readNumber('--limit', values.limit ?? 50)
    const where = values.search === undefined ? {} : { search: values.search }
    const found = await withStore(sources, (db: Db) => templates.list(db, { where, limit }))
    if (values.json === true) return console.log(formatJson(found))
    const rows = found.map(({ id, name, componentName, publicProduct, timeModified }) => ({
      id: String(id),
      name,
      componentName,
      publicProduct,
      timeModified
    }))
    printList(rows, false)
  }
}
