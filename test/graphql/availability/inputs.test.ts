// Runs on SQLite only, undisturbed, in test:all only: PostgreSQL works in separate processes.
/**
 * As availability.test.ts, with the largest inputs of every operation, with a token that may run it and with one that
 * may not. Each commit takes one of `parts` of them; `SECONDS=60` takes all.
 */
import { t } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { parseServiceOptions } from '../../../options/index.ts'
import { seedLoad } from '../../../seeds/seed.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { seed } from '../../support/generated/seed.ts'
import { accessToken } from '../../support/http/http.ts'
import { addClient, addUser, cheapHash } from '../../support/service/service.ts'
import { makeUnique } from '../unique-request.ts'
import { findFault, megabyte, observeAgain, watched } from './check.ts'
import { largestInputs } from './inputs.ts'
import { observeText } from './watched-service.ts'

const { graphqlMaxBodySize } = parseServiceOptions({})
const parts = Number(process.env.SECONDS ?? 0) >= 60 ? 1 : 32
const part = seed % parts
/** Bytes of the request itself: as text, as values and as they are checked. */
const requestMemory = 4 * graphqlMaxBodySize

// On a busy machine.
t.setTimeout(1_800_000)

t.test('the largest inputs', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await seedLoad(db, cheapHash, 20_000, () => {})
  await addUser(db, { role: 'admin' })
  await addClient(db, { scopes: ['read', 'write', 'admin'] })
  await db.destroy()
  const { service, tokens } = await watched(t, url)
  const [every, read, write] = await Promise.all(
    ['read write admin', 'read', 'write'].map(scope => accessToken(service.url, { scope }))
  )
  for (const input of [...largestInputs(graphqlMaxBodySize)].filter((_, index) => index % parts === part))
    for (const isAllowed of [true, false])
      await t.test(`${input.name}, ${isAllowed ? 'allowed' : 'without the scope'}`, async t => {
        const other = input.query.startsWith('mutation') ? read : write
        const own = (isAllowed ? every : other) as string
        const observed = await observeAgain(() => {
          const { query } = makeUnique(input)
          const body = `{"query":${JSON.stringify(query)},"variables":${input.variables}}`
          return observeText(service, { own, other: tokens.other }, '/graphql', body)
        })
        const status = observed.status < 500 ? 200 : observed.status
        t.equal(findFault({ ...observed, status }, observed.size, requestMemory), undefined)
        t.ok(observed.size < megabyte, `an answer of ${observed.size} bytes`)
        // Levels are counted before JSON is parsed, so before anything is known about the operation.
        const isDeep = input.name.includes(': depth of ')
        if (!isAllowed && !isDeep) t.match(`${observed.status} ${observed.codes}`, /^403 |FORBIDDEN/)
      })
})
