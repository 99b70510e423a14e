/** Revisions by GraphQL: pages, hashes, differences. */
import { hash } from 'node:crypto'
import { applyPatch } from 'rfc6902'
import { t } from 'tap'
import { completeRevisions, findTemplateByHash } from '../../../db/templates/revisions/hashes.ts'
import { addTemplates } from '../../support/service/service.ts'
import { create, update, values, writer } from './store.ts'

const hex = (text: string) => hash('sha256', text)

t.test('revisionByHash finds the exact bytes, by hash with or without its prefix', async t => {
  const { send } = await writer(t)
  await send(create, { input: values })
  await send(update, { id: 1, input: { data: '{}' } })
  const find = async (hash: string) =>
    send(
      'query ($hash: String!) { revisionByHash(hash: $hash) { templateId number hash contents { data } } }',
      {
        hash
      }
    )
  const expected = {
    templateId: 1,
    number: 1,
    hash: `sha256:${hex(values.data)}`,
    contents: { data: values.data }
  }
  t.same((await find(hex(values.data))).data.revisionByHash, expected)
  t.same((await find(`sha256:${hex(values.data).toUpperCase()}`)).data.revisionByHash, expected)
  t.same((await find(hex('{}'))).data.revisionByHash, {
    templateId: 1,
    number: 2,
    hash: `sha256:${hex('{}')}`,
    contents: { data: '{}' }
  })
  t.same((await find(hex(values.data).slice(0, 8))).data.revisionByHash, expected)
  t.equal((await find(hex('nothing'))).data.revisionByHash, null)
  for (const wrong of ['', 'sha256:', hex('a').slice(0, 7), `${hex('a')}0`, `sha512:${hex('a')}`])
    t.match((await find(wrong)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], wrong)
})

t.test('of many templates with a hash, the newest is found, also by its beginning', async t => {
  const { db } = await writer(t)
  const [common, rare] = ['{"a":1}', '{"a":2}']
  await addTemplates(db, ...Array.from({ length: 50 }, (_, id) => ({ id, data: common })))
  await addTemplates(db, { id: 90, data: rare })
  await completeRevisions(db)
  for (const digits of [8, 64]) {
    t.equal((await findTemplateByHash(db, hex(common).slice(0, digits)))?.id, 49)
    t.equal((await findTemplateByHash(db, hex(rare).slice(0, digits)))?.id, 90)
  }
})

t.test('revisions have pages, newest first', async t => {
  const { send } = await writer(t)
  await send(create, { input: values })
  for (let number = 2; number <= 25; number++) await send(update, { id: 1, input: { name: `n${number}` } })
  const page = async (more: string) =>
    await send(
      `{ product(id: 1) { revisions${more} { edges { cursor node { number } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`
    )
  const numbers = ({ data }: Awaited<ReturnType<typeof page>>) =>
    data.product.revisions.edges.map(({ node }: { node: { number: number } }) => node.number)
  const first = await page('')
  t.same(
    numbers(first),
    Array.from({ length: 20 }, (_, index) => 25 - index)
  )
  const { pageInfo } = first.data.product.revisions
  t.match(pageInfo, { hasNextPage: true, hasPreviousPage: false })
  const second = await page(`(after: "${pageInfo.endCursor}", first: 5)`)
  t.same(numbers(second), [5, 4, 3, 2, 1])
  t.match(second.data.product.revisions.pageInfo, { hasNextPage: false, hasPreviousPage: true })
  t.same(numbers(await page('(first: 0)')), [])
  for (const wrong of ['(first: 101)', '(first: -1)', '(after: "x")'])
    t.match((await page(wrong)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], wrong)
  const within = await send('{ allProducts { revisions(first: 2) { nodes { number } } } }')
  t.same(within.data.allProducts, [{ revisions: { nodes: [{ number: 25 }, { number: 24 }] } }])
  const many = await send(
    '{ products { nodes { revisions(first: 1) { nodes { number contents { name } } } } } }'
  )
  t.same(many.data.products.nodes, [{ revisions: { nodes: [{ number: 25, contents: { name: 'n25' } }] } }])
})

t.test('revision and hash can be selected everywhere, also of long documents', async t => {
  const { send, db } = await writer(t)
  const long = JSON.stringify({ name: 'x'.repeat(100_000) })
  await addTemplates(db, { id: 0, data: long }, { id: 1, data: 'no JSON' })
  const expected = [
    { id: 1, revision: 1, hash: `sha256:${hex('no JSON')}` },
    { id: 0, revision: 1, hash: `sha256:${hex(long)}` }
  ]
  const { data } = await send(
    '{ allProducts { ...F } products { nodes { ...F } } one: product(id: 0) { ...F } } fragment F on ProductTemplate { id revision hash }'
  )
  t.same(data, { allProducts: expected, products: { nodes: expected }, one: expected[1] })
})

t.test('revisionDiff turns one revision into the other', async t => {
  const { send } = await writer(t)
  const documents = [
    '{"name":"a","attributes":[{"trait_type":"MadeIn","value":"Peru"},{"trait_type":"Music"}]}',
    '{"name":"b","attributes":[{"trait_type":"Music"},{"trait_type":"Video","value":""}],"more":[1]}',
    '{ "name":"b","attributes":[{"trait_type":"Music"},{"trait_type":"Video","value":""}],"more":[1]}'
  ]
  await send(create, { input: { ...values, data: documents[0] } })
  await send(update, { id: 1, input: { data: documents[1], maxItems: 11 } })
  await send(update, { id: 1, input: { data: documents[2] } })
  const diff = async (from: number, to: number) =>
    (await send(`{ revisionDiff(id: 1, from: ${from}, to: ${to}) { patch text } }`)).data.revisionDiff
  const { patch, text } = await diff(1, 2)
  const { data: _, ...rest } = { componentName: 'DefaultProduct', publicProduct: false, ...values }
  const target = { ...rest, document: JSON.parse(documents[0] as string) }
  applyPatch(target, patch)
  t.same(target, { ...rest, maxItems: 11, document: JSON.parse(documents[1] as string) })
  t.match(text, /^--- revision 1\n\+\+\+ revision 2\n/m)
  t.match(text, /^- {2}"maxItems": 10,\n\+ {2}"maxItems": 11,$/m)
  const bytes = await diff(2, 3)
  t.same(bytes.patch, [{ op: 'replace', path: '/data', value: documents[2] }], 'white space is a change, too')
  t.same((await diff(2, 2)).patch, [])
  t.equal(await diff(1, 9), null)
})

t.test('a text shows up to 700 different lines, however busy the machine is', async t => {
  const { send } = await writer(t)
  const lines = (length: number, from: number) =>
    JSON.stringify(Array.from({ length }, (_, line) => from + line))
  await send(create, { input: { ...values, data: `{"name":"a","more":${lines(350, 0)}}` } })
  await send(update, { id: 1, input: { data: `{"name":"a","more":${lines(350, 1000)}}` } })
  await send(update, { id: 1, input: { data: `{"name":"a","more":${lines(351, 2000)}}` } })
  const { data } = await send(`{
    whole: revisionDiff(id: 1, from: 1, to: 2) { text }
    tooLong: revisionDiff(id: 1, from: 2, to: 3) { text }
  }`)
  t.equal(data.whole.text.match(/^[-+] /gm).length, 700)
  t.equal(data.tooLong.text, null)
})

t.test('a difference is not larger than its documents', async t => {
  const { send, db } = await writer(t)
  // The indentation of each number has 194 characters.
  const deep = (first: number) =>
    `{"name":"n","x":${'['.repeat(97)}${[first, ...Array(50_000).fill(1)]}${']'.repeat(97)}}`
  // The pointer to each number has the whole name.
  const named = (value: number) =>
    JSON.stringify({
      ['k'.repeat(50_000)]: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, value]))
    })
  const documents = [deep(1), deep(2), named(1), named(2)]
  await send(create, { input: { ...values, data: documents[0] } })
  for (const data of documents.slice(1)) await send(update, { id: 1, input: { data } })
  const { data } = await send(`{
    deep: revisionDiff(id: 1, from: 1, to: 2) { patch text }
    named: revisionDiff(id: 1, from: 3, to: 4) { patch }
  }`)
  t.equal(data.deep.text, null)
  t.ok(JSON.stringify(data).length < documents.join('').length)
  for (const [patch, index] of [[data.deep.patch, 0] as const, [data.named.patch, 2] as const]) {
    const target = { document: JSON.parse(documents[index] as string) }
    applyPatch(target, patch)
    t.same(target, { document: JSON.parse(documents[index + 1] as string) })
  }
  const dryRun = await send(
    'mutation ($data: String!) { updateProduct(id: 1, input: { data: $data }, dryRun: true) { diff { text } } }',
    { data: deep(3) }
  )
  t.equal(dryRun.data.updateProduct.diff.text, null, 'the difference of a dry run, too')
  const tooDeep = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  await addTemplates(db, { id: 2, data: tooDeep })
  await send(update, { id: 2, input: { data: values.data } })
  const stored = await send('{ revisionDiff(id: 2, from: 1, to: 2) { patch text } }')
  t.same(stored.data.revisionDiff, { patch: null, text: null }, 'another program has stored it')
})

t.test('nested lists take no more comparisons than a long one', async t => {
  // On a busy machine, a worker takes seconds to start.
  const { send } = await writer(t, { graphqlTimeout: 60 })
  // Pair by pair on each level these would be 40 million.
  const nest = (level: number, leaf: number): unknown =>
    level === 0 ? leaf : Array.from({ length: 9 }, (_, index) => nest(level - 1, 9 * leaf + index))
  const documents = [nest(4, 0), nest(4, 1)].map(more => ({ name: 'n', more }))
  await send(create, { input: { ...values, data: JSON.stringify(documents[0]) } })
  await send(update, { id: 1, input: { data: JSON.stringify(documents[1]) } })
  const { patch } = (await send('{ revisionDiff(id: 1, from: 1, to: 2) { patch } }')).data.revisionDiff
  const target = { document: documents[0] }
  applyPatch(target, patch)
  t.same(target, { document: documents[1] })
})
