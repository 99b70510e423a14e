/** `changes`: the feed in pages. */
import { hash } from 'node:crypto'
import { type Test, t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'

const text = `query Changes($after: String, $first: Int) {
  changes(after: $after, first: $first) {
    edges { cursor node { templateId revision action hash time contents { name data } } }
    nodes { templateId }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    latestCursor
  }
}`

async function store(t: Test) {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const ask = async (variables: object = {}) => (await query(url, token, text, { variables })).body
  const page = async (variables: object = {}) => (await ask(variables)).data.changes
  return { url, db, token, page, refusal: async (variables: object) => (await ask(variables)).errors?.[0] }
}

const sha256 = (text: string) => `sha256:${hash('sha256', text)}`

t.test('a change has the template as of its revision', async t => {
  const { db, page } = await store(t)
  const long = JSON.stringify({ description: '{"é'.repeat(20_000) })
  await addTemplates(db, { id: 0, data: long, name: 'one' })
  await db.updateTable('product_template').set({ data: '{}', name: 'two' }).execute()
  await db.updateTable('product_template').set({ data: long }).execute()
  await db.deleteFrom('product_template').execute()
  const { edges, nodes } = await page()
  t.same(
    edges.map(({ node: { time: _, ...node } }: { node: { time: string } }) => node),
    [
      {
        templateId: 0,
        revision: 1,
        action: 'INSERT',
        hash: sha256(long),
        contents: { name: 'one', data: long }
      },
      {
        templateId: 0,
        revision: 2,
        action: 'UPDATE',
        hash: sha256('{}'),
        contents: { name: 'two', data: '{}' }
      },
      {
        templateId: 0,
        revision: 3,
        action: 'UPDATE',
        hash: sha256(long),
        contents: { name: 'two', data: long }
      },
      { templateId: 0, revision: 4, action: 'DELETE', hash: null, contents: null }
    ]
  )
  t.match(edges[0].node.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  t.equal(nodes.length, 4)
})

t.test('pages continue after a cursor, also after the last one', async t => {
  const { db, page } = await store(t)
  const empty = await page()
  t.same(empty.pageInfo, { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null })
  await addTemplates(db, ...Array.from({ length: 5 }, (_, id) => ({ id })))
  const ids: number[] = []
  let after: string = empty.latestCursor
  let more = true
  while (more) {
    const { edges, pageInfo } = await page({ after, first: 2 })
    t.equal(pageInfo.hasPreviousPage, ids.length > 0)
    t.same(pageInfo.startCursor, edges[0].cursor)
    ids.push(...edges.map(({ node }: { node: { templateId: number } }) => node.templateId))
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
  t.same(ids, [0, 1, 2, 3, 4])
  t.equal((await page()).latestCursor, after)
  t.same((await page({ after })).edges, [])
  await db.deleteFrom('product_template').where('id', '=', 3).execute()
  t.same((await page({ after })).nodes, [{ templateId: 3 }])
  t.same((await page({ after: null, first: null })).nodes.length, 6)
  t.match(await page({ first: 0 }), { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } })
  await db.deleteFrom('product_template').where('id', '=', 4).execute()
  const { nodes, latestCursor } = await page({ first: 1 })
  t.same(nodes, [{ templateId: 0 }])
  t.same((await page({ after: latestCursor })).nodes, [], 'also a full page has the cursor of a new change')
})

t.test('the longest page has a next one, however many changes are not published', async t => {
  const { db, page } = await store(t)
  for (let start = 0; start < 2400; start += 400)
    await addTemplates(db, ...Array.from({ length: 400 }, (_, id) => ({ id: start + id })))
  const { pageInfo } = await page({ first: 1000 })
  t.equal(pageInfo.hasNextPage, true)
  t.match(await page({ first: 1000, after: pageInfo.endCursor }), { pageInfo: { hasNextPage: true } })
})

t.test('a wrong cursor or page size is refused', async t => {
  const { url, db, token, page, refusal } = await store(t)
  await addTemplates(db, { id: 1 })
  const { body } = await query(url, token, '{ products { pageInfo { endCursor } } }')
  const { latestCursor } = await page()
  const wrong = [body.data.products.pageInfo.endCursor, '', 'x', `${latestCursor}=`, ` ${latestCursor}`, '1']
  for (const text of ['changes:1:01', 'changes:2:1', 'changes:1:-1', 'changes:1:9999999999999999999'])
    wrong.push(Buffer.from(text).toString('base64url'))
  for (const after of wrong)
    t.match(await refusal({ after }), {
      message: 'the cursor is not valid',
      path: ['changes'],
      extensions: { code: 'BAD_USER_INPUT' }
    })
  t.match(await refusal({ after: Buffer.from('changes:1:2').toString('base64url') }), {
    message: 'the cursor is after the last change: it belongs to another database',
    extensions: { code: 'BAD_USER_INPUT' }
  })
  for (const first of [-1, 1001])
    t.match(await refusal({ first }), { message: 'first must be a number from 0 to 1000' })
  t.equal(
    (await query(url, token, `{ products(after: "${latestCursor}") { nodes { id } } }`)).body.errors.length,
    1
  )
})
