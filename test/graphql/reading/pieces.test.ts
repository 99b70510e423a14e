/** Lists are put together from pieces that are kept. They are the same as without, whatever was changed in between. */
import Fastify from 'fastify'
import { sql } from 'kysely'
import { t } from 'tap'
import { TemplatePieces } from '../../../graphql/template-pieces.ts'
import { productTemplates } from '../../../index.ts'
import { accessToken, graphqlRequest } from '../../http.ts'
import { addTemplates, cheapHash, service } from '../../service.ts'

const seconds = Number(process.env.SECONDS ?? 3)
/** Fewer lists prove nothing; a busy machine takes longer for them. */
const minLists = 20
const templates = 130
const long = 40_000

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
const random = (below: number): number => Math.floor(Math.random() * below)
const dataOf = (length: number): string =>
  JSON.stringify({
    name: 'é"\\\n',
    text: String(random(10)).repeat(length),
    attributes: [{ trait_type: 't', value: random(3) }]
  })

const selections = [
  'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data',
  'data id: name name: id',
  'data name: name id: id',
  'document { name attributes { traitType value } } id',
  'document { name attributes { value traitType } } id',
  'document { name } id',
  'hash id revision',
  '...F id } } fragment F on ProductTemplate { data ... { name',
  'id name @skip(if: true) data',
  'id name data @skip(if: true)'
]
const lists = [
  '',
  '',
  '',
  '(limit: 110)',
  '(limit: 9)',
  '(limit: 9)',
  '(limit: 7, offset: 3)',
  '(offset: 10)',
  '(orderBy: { field: NAME, direction: ASC })',
  '(where: { maxItems: { gt: 5 } })'
]

const template = {
  revision: 1,
  size: 2,
  blockchainId: 1,
  maxItems: 1,
  publicProduct: true,
  componentName: 'DefaultProduct',
  timeCreated: '2026-01-02T03:04:05.678901Z',
  timeModified: '2026-01-02T03:04:05.678901Z'
}

t.test('lists of pieces are the same as others', async t => {
  const { db, url } = await service(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(productTemplates, { db, ...cheapHash, issuer: url, graphqlResponseCacheSize: 0 })
  const fresh = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(url)
  await addTemplates(db, ...Array.from({ length: templates }, () => ({ data: dataOf(random(100)) })))
  const changes = [
    (id: number) => sql`update product_template set data = ${dataOf(random(100))} where id = ${id}`,
    (id: number) => sql`update product_template set data = ${dataOf(5)} where id < ${id}`,
    (id: number) => sql`update product_template set data = ${dataOf(long)} where id = ${id}`,
    (id: number) => sql`update product_template set name = ${String(random(100))} where id = ${id}`,
    (id: number) => sql`update product_template set id = ${1000 + random(1_000_000)} where id = ${id}`,
    (id: number) => sql`delete from product_template where id = ${id}`
  ]
  const ask = async (to: string, query: string) => (await graphqlRequest(to, token, { query })).text()
  const end = performance.now() + 1000 * seconds
  let compared = 0
  while (performance.now() < end || compared < minLists) {
    if (Math.random() < 0.5) await pick(changes)(random(templates)).execute(db)
    if (Math.random() < 0.2)
      await addTemplates(db, { id: 2_000_000 + random(1_000_000), data: dataOf(random(50)) })
    const query = `query Q${random(1_000_000)} { allProducts${pick(lists)} { ${pick(selections)} } }`
    const [kept, right] = [await ask(url, query), await ask(fresh, query)]
    if (kept !== right) throw new Error(query)
    compared++
  }
  t.pass(`${compared} lists`)
})

t.test('a template with a long name is not kept: it would take memory for each selection', async t => {
  const all = new TemplatePieces(2 ** 20)
  t.equal(all.open('{name}'), undefined)
  const pieces = all.open('{name}')
  const stampOf = (id: number, name: string) => ({ ...template, id, name })
  for (const stamp of [stampOf(1, 'short'), stampOf(2, 'long'.repeat(10_000))]) pieces?.add(stamp, '{}')
  t.equal(pieces?.find(stampOf(1, 'short'))?.toString(), ',{}')
  t.equal(pieces?.find(stampOf(2, 'long'.repeat(10_000))), undefined)
})
