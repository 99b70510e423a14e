import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isReachableFromOutside } from '../serve/server/listen.ts'
import { type Check, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('demo')

/** Whether the public demo credentials work. */
export const checkDemo: Check = async (db, settings) => {
  const remedies = await findDemoCredentialRemedies(db)
  if (remedies.length === 0) return [ok('the demo credentials do not work')]
  const exposed = settings.environment === 'production' || (await isReachableFromOutside(settings))
  const find = exposed ? problem : warning
  return [find('anybody can log in with the demo credentials', remedies.join('; '))]
}
