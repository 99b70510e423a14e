import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { openDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import { optionsFromEnv, type ProcessSettings } from '../../options.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isEmpty, seedDemo } from '../../seeds/seed.ts'
import { type Call, CommandError } from '../terminal/command.ts'
import { formatBanner } from './banner.ts'
import { isReachableFromOutside, listen } from './listen.ts'
import { buildServer } from './server.ts'

/** Milliseconds for requests in progress to finish after a signal. */
const closeTimeout = 10_000

/** Starts the service, which runs until a signal. */
export async function startService({ env, values }: Call): Promise<void> {
  const settings = optionsFromEnv(env)
  const demo = values.demo === true && settings.environment !== 'production'
  const outside = await isReachableFromOutside(settings)
  const db = await openDatabase(settings.database, settings)
  try {
    if (outside) await refuseDemoCredentials(db, settings, demo)
    if (demo) await seedDemo(db, settings)
    const demoWorks = demo && (await findDemoCredentialRemedies(db)).length > 0
    const empty = await isEmpty(db)
    // From now on the server closes the database.
    const app = await start(settings, db)
    if (demo) console.error(formatBanner(app, settings, demoWorks))
    else if (empty) app.log.warn('the database is empty: see `product-templates user add`, `client add`')
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function start(settings: ProcessSettings, db: Db): Promise<FastifyInstance> {
  const app = await buildServer(settings, db)
  // Before it listens, so that no signal arrives without a handler.
  const grace = closeWithGrace({ delay: closeTimeout, logger: app.log }, async ({ err, signal }) => {
    if (err) app.log.fatal({ err }, 'unexpected error, closing')
    else app.log.info({ signal }, 'closing')
    await app.close()
    await db.destroy()
  })
  try {
    await listen(app, settings)
    return app
  } catch (error) {
    grace.uninstall()
    await app.close()
    if (error instanceof StartError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw code ? new CommandError(`cannot listen: ${message}`) : error
  }
}

/** The demo credentials are public: they may be used on this machine only, not on a network. */
async function refuseDemoCredentials(db: Db, { host }: ProcessSettings, demo: boolean): Promise<void> {
  if (demo && (await isEmpty(db))) {
    const fix =
      'listen on a loopback address, or run `product-templates serve` without --demo and add your own accounts'
    throw new StartError('PTS_DEMO_CREDENTIALS', `no demo data on ${host}, which others can reach: ${fix}`)
  }
  const remedies = await findDemoCredentialRemedies(db)
  if (remedies.length === 0) return
  const commands = remedies.map(remedy => `\`${remedy}\``).join(', ')
  throw new StartError(
    'PTS_DEMO_CREDENTIALS',
    `the database has the demo credentials, and others can reach ${host}. Replace them first: ${commands}`
  )
}
