import type { KyselyPlugin, QueryId } from 'kysely'
import { t } from 'tap'
import { database, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'

/** Milliseconds: longer than a bad result is kept. */
const longerThanKept = 500

/** From a moment on, lets the list of migrations in each check wait, and counts the checks. */
class HungStore implements KyselyPlugin {
  hangs = false
  asked = 0
  readonly #held = new Set<QueryId>()
  readonly #responds = Promise.withResolvers<void>()

  respond = this.#responds.resolve

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => {
    if (
      this.hangs &&
      node.kind === 'SelectQueryNode' &&
      JSON.stringify(node).includes('"product_migration"')
    ) {
      this.asked++
      this.#held.add(queryId)
    }
    return node
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result, queryId }) => {
    if (this.#held.has(queryId)) await this.#responds.promise
    return result
  }
}

t.test('a store that does not respond is asked once until it does', async t => {
  const store = new HungStore()
  const { url } = await service(t, { db: (await database(t)).withPlugin(store) })
  store.hangs = true
  const ask = async () => {
    const responses = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/readyz`)])
    const reports = await Promise.all(responses.map(response => response.json()))
    return reports.map(({ checks }) => checks.database)
  }
  const answers = await ask()
  for (const end = performance.now() + longerThanKept; performance.now() < end; )
    answers.push(...(await ask()))
  t.same([...new Set(answers)], ['no answer'])
  t.equal(store.asked, 1)
  store.respond()
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
})
