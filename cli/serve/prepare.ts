import type { FastifyInstance } from 'fastify'
import { openDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isEmpty, seedDemo } from '../../seeds/seed.ts'
import { formatBanner } from './banner.ts'
import { isReachableFromOutside } from './server/listen.ts'

/**
 * Opens and migrates the database, and seeds an empty one with demo data if wanted. `announce` prints the banner, or what
 * to do about an empty database. Throws StartError if the database cannot be used, or has the demo credentials and others
 * can reach the service. The caller closes the database.
 */
export async function prepareStore(settings: ProcessSettings, wantsDemo: boolean) {
  const demo = wantsDemo && settings.environment !== 'production'
  const outside = await isReachableFromOutside(settings)
  const db = await openDatabase(settings.database, settings)
  try {
    if (outside) await refuseDemoCredentials(db, settings, demo)
    if (demo) await seedDemo(db, settings)
    const demoWorks = demo && (await findDemoCredentialRemedies(db)).length > 0
    const empty = await isEmpty(db)
    const announce = ({ listeningOrigin, log }: FastifyInstance) => {
      if (demo) console.error(formatBanner(listeningOrigin, settings, demoWorks))
      else if (empty) log.warn('the database is empty: see `product-templates user add`, `client add`')
    }
    return { db, announce }
  } catch (error) {
    await db.destroy()
    throw error
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
