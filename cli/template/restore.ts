import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { readNumber } from './number.ts'

export const command: Command = {
  summary: 'Give a template the contents of one of its revisions',
  positionals: ['id', 'revision'],
  options: {
    message: { type: 'string', value: 'text', help: 'why; kept with the new revision' },
    ...jsonOption
  },
  details: 'The contents become a new revision. A deleted template exists again.',
  async run({ sources, positionals: [given, revision], values }) {
    const { templates } = await import('../../store.ts')
    const { nobody } = await import('../../db/templates/revisions/revisions.ts')
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
