import { openDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isEmpty, seedDemo } from '../../seeds/seed.ts'
import { formatBanner } from './banner.ts'
import { isReachableFromOutside } from './server/listen.ts'

/** What the start found in the database. */
export interface Found {
  /** Whether demo data was wanted and is allowed. */
  demo: boolean
  /** Whether the demo credentials can be used. */
  demoWorks: boolean
  empty: boolean
}

/**
 * Opens and migrates the database, and seeds an empty one with demo data if wanted. Throws StartError if the database
 * cannot be used, or has the demo credentials and others can reach the service. The caller closes the database.
 */
export async function prepareStore(
  settings: ProcessSettings,
  wantsDemo: boolean
): Promise<Found & { db: Db }> {
  const demo = wantsDemo && settings.environment !== 'production'
  const outside = await isReachableFromOutside(settings)
  const db = await openDatabase(settings.database, settings)
  try {
    if (outside) await refuseDemoCredentials(db, settings, demo)
    if (demo) await seedDemo(db, settings)
    const demoWorks = demo && (await findDemoCredentialRemedies(db)).length > 0
    return { db, demo, demoWorks, empty: await isEmpty(db) }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

interface Announcement {
  origin: string
  log: { warn(text: string): void }
}

/** Prints the banner, or what to do about an empty database. */
export function announce(
  settings: ProcessSettings,
  { demo, demoWorks, empty }: Found,
  to: Announcement
): void {
  if (demo) console.error(formatBanner(to.origin, settings, demoWorks))
  else if (empty) to.log.warn('the database is empty: see `product-templates user add`, `client add`')
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
