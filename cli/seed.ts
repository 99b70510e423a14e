import { seedDemo, seedLoad } from '../seeds/seed.ts'
import { withStore } from './store.ts'
import { type Command, CommandError, UsageError } from './terminal/command.ts'
import { startProgress } from './terminal/progress.ts'

const notEmpty = 'the database is not empty; nothing was changed'
const mostTemplates = 1_000_000

export const command: Command = {
  summary: 'Fill an empty database with demo or load data',
  options: {
    demo: { type: 'boolean', help: 'a few templates that show what documents can look like' },
    load: { type: 'string', value: 'count', help: 'this many templates of about 3 KB each' }
  },
  details: `
Both bring the demo credentials, so neither runs when NODE_ENV is production. All of the data goes in,
or none of it.`,
  async run({ env, values }) {
    const count = values.load === undefined ? undefined : Number(values.load)
    if ((count === undefined) === (values.demo === undefined))
      throw new UsageError('give --demo or --load <count>')
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= mostTemplates)) {
      throw new UsageError(`--load takes a number from 1 to ${mostTemplates}`)
    }
    await withStore(
      env,
      async (db, settings) => {
        if (settings.environment === 'production')
          throw new UsageError('no demo data when NODE_ENV is production')
        if (count === undefined) {
          if (!(await seedDemo(db, settings))) throw new CommandError(notEmpty)
          return console.error('Seeded the demo data.')
        }
        const progress = startProgress('Seeding')
        if (!(await seedLoad(db, settings, count, done => progress.update(done, count))))
          throw new CommandError(notEmpty)
        progress.finish(`Seeded ${count} templates.`)
      },
      { mustExist: false }
    )
  }
}
