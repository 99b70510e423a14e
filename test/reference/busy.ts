/** Lists that are read while templates are written: what each template shows meets the filter and fits the order. */
import { once } from 'node:events'
import { Agent } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { Test } from 'tap'
import type { TemplateOrder } from '../../db/templates/read/order.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import fc from '../support/generated/fast-check.ts'
import { readContents } from './contents.ts'
import { matches, type Where } from './filter.ts'
import { makeListArguments } from './operations.ts'
import { isInOrder } from './order.ts'
import { type Counts, knownOf, send, start } from './round.ts'

/** Lists made from one seed. */
const lists = 50
const fields = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
const query = `query($where: ProductTemplateFilter, $orderBy: ProductTemplateOrder, $limit: Int) {
  allProducts(where: $where, orderBy: $orderBy, limit: $limit) { ${fields} }
  products(where: $where, orderBy: $orderBy, first: $limit) { nodes { ${fields} } } }`

interface List {
  where: Where
  orderBy: TemplateOrder
  limit: number | null
}

/** Reads lists; throws with the first that is wrong. */
export async function runBusy(t: Test, seed: number, batches: number, counts: Counts): Promise<void> {
  const { db, databaseUrl, ...service } = await start(t, seed)
  const known = knownOf(await readContents(db))
  const written = known.ids.filter((_, index) => index % 2 === 0)
  const writer = new Worker(new URL('writer.ts', import.meta.url), {
    workerData: { url: databaseUrl, ids: written }
  })
  const agent = new Agent({ keepAlive: true })
  t.teardown(async () => {
    agent.destroy()
    const ended = once(writer, 'exit')
    writer.postMessage('end')
    await ended
  })
  const before = await readContents(db)
  const unwritten = before.templates.filter(({ id }) => !written.includes(id))
  for (let at = 0; at < batches; at++)
    for (const gen of fc.sample(fc.gen(), { seed: seed + at, numRuns: lists })) {
      const variables: List = makeListArguments(gen, known)
      const { body } = await send(service, agent, { query, variables })
      const { data, errors } = JSON.parse(body.toString())
      if (errors || !data) throw new Error(`${JSON.stringify(variables)}: ${body.toString('utf8', 0, 1000)}`)
      counts.lists++
      for (const found of [data.allProducts, data.products.nodes]) {
        const problem = findProblem(found, unwritten, variables)
        if (problem) throw new Error(`${problem}: ${JSON.stringify(variables)}\n${JSON.stringify(found)}`)
      }
    }
}

/** Returns what is wrong with a list. */
function findProblem(
  found: ProductTemplate[],
  unwritten: ProductTemplate[],
  { where, orderBy, limit }: List
): string | undefined {
  const wrong = found.find(template => !matches(template, where))
  if (wrong) return `template ${wrong.id} does not meet the filter`
  if (new Set(found.map(({ id }) => id)).size < found.length) return 'a template is there twice'
  if (!isInOrder(found, orderBy)) return 'the order is wrong'
  const ids = new Set(found.map(({ id }) => id))
  const missing = unwritten.find(template => matches(template, where) && !ids.has(template.id))
  return missing && limit === null ? `template ${missing.id} is missing` : undefined
}
