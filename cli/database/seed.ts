import { type Command, CommandError, readInteger, UsageError } from '../../terminal/command.ts'
import { startProgress } from '../../terminal/progress.ts'
import { jsonOption, printJson, printResult } from '../../terminal/result.ts'
import { bulkTimeout, withStore } from '../../terminal/store.ts'

const notEmpty = 'the database is not empty; nothing was changed'
const maxTemplates = 1_000_000

export const command: Command = {
  summary: 'Fill an empty database with demo or load data',
  options: {
    '--demo': 'add a few templates with typical documents',
    '--load <count>': 'add this many templates of about 3 KB each',
    ...jsonOption
  },
  details: `
Both options add the demo credentials, so neither is allowed if NODE_ENV is production. If seeding fails,
nothing is added.`,
  async run({ sources, options }) {
    const { seedDemo, seedLoad } = await import('../../seeds/seed.ts')
    const { demo, load } = options
    if (!demo === !load) throw new UsageError('give --demo or --load <count>')
    const count = load && readInteger('--load', load, 1, maxTemplates)
    await withStore(
      sources,
      async (db, settings) => {
        if (settings.environment === 'production')
          throw new UsageError('demo data is not allowed if NODE_ENV is production')
        if (demo) {
          if (!(await seedDemo(db, settings))) throw new CommandError(notEmpty)
          return printResult(options, { seeded: 'demo' }, 'Seeded the demo data.')
        }
        const progress = startProgress('Seeding')
        if (!(await seedLoad(db, settings, count, done => progress.update(done, count))))
          throw new CommandError(notEmpty)
        progress.finish(`Seeded ${count} templates.`)
        if (options.json) printJson({ seeded: 'load', templates: count })
      },
      { mustExist: false, ...bulkTimeout }
    )
  }
}
