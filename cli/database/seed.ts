import { bulkQueryTimeout, withStore } from '../store.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'
import { startProgress } from '../terminal/progress.ts'
import { jsonOption, printJson, printResult } from '../terminal/result.ts'

const notEmpty = 'the database is not empty; nothing was changed'
const maxTemplates = 1_000_000

export const command: Command = {
  summary: 'Fill an empty database with demo or load data',
  options: {
    demo: { type: 'boolean', help: 'add a few templates with typical documents' },
    load: { type: 'string', value: 'count', help: 'add this many templates of about 3 KB each' },
    ...jsonOption
  },
  details: `
Both add the demo credentials, so neither runs if NODE_ENV is production. If seeding fails, nothing is added.`,
  async run({ sources, values }) {
    const { seedDemo, seedLoad } = await import('../../seeds/seed.ts')
    const count = values.load === undefined ? undefined : Number(values.load)
    if ((count === undefined) === (values.demo === undefined))
      throw new UsageError('give --demo or --load <count>')
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= maxTemplates)) {
      throw new UsageError(`--load takes a number from 1 to ${maxTemplates}`)
    }
    await withStore(
      sources,
      async (db, settings) => {
        if (settings.environment === 'production')
          throw new UsageError('demo data is not allowed if NODE_ENV is production')
        if (count === undefined) {
          if (!(await seedDemo(db, settings))) throw new CommandError(notEmpty)
          return printResult(values, { seeded: 'demo' }, 'Seeded the demo data.')
        }
        const progress = startProgress('Seeding')
        if (!(await seedLoad(db, settings, count, done => progress.update(done, count))))
          throw new CommandError(notEmpty)
        progress.finish(`Seeded ${count} templates.`)
        printJson(values, { seeded: 'load', templates: count })
      },
      { mustExist: false, databaseQueryTimeout: bulkQueryTimeout }
    )
  }
}
