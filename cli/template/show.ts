import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { formatJson } from '../terminal/plain-text.ts'
import { readNumber } from './number.ts'

export const command: Command = {
  summary: 'Show a template as JSON',
  positionals: ['id'],
  options: {
    revision: { type: 'string', value: 'number', help: 'as it was in this revision' },
    json: { type: 'boolean', help: 'print JSON, the default' },
    data: { type: 'boolean', help: 'print only the document, byte for byte' }
  },
  async run({ sources, positionals, values }) {
    const { templates } = await import('../../store.ts')
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
