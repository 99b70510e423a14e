// Runs on SQLite only.
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { t } from 'tap'
import { fullRights } from '../../../db/templates/writing/rights.ts'
import { createTemplate, deleteTemplate, updateTemplate } from '../../../db/templates/writing/write.ts'
import { defaultValues } from '../../../domain/columns.ts'
import { demoTemplates } from '../../../seeds/seed.ts'
import { needs } from '../../../test/support/programs.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

const ajv = new Ajv2020({ strictTypes: false })
const [isErc721, isErc1155] = ['eip-721', 'eip-1155'].map(name =>
  ajv.compile(JSON.parse(readFileSync(new URL(`./${name}.schema.json`, import.meta.url), 'utf8')))
)
const isOpenSea = ajv.compile({
  required: ['name', 'attributes'],
  additionalProperties: false,
  properties: {
    name: {},
    description: { minLength: 1 },
    image: { minLength: 1 },
    external_url: { type: 'string', minLength: 1 },
    attributes: {
      type: 'array',
      items: {
        required: ['trait_type', 'value'],
        additionalProperties: false,
        properties: { trait_type: { type: 'string' }, display_type: { const: 'number' }, value: {} },
        if: { required: ['display_type'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { value: { type: 'number' } } },
        else: { properties: { value: { type: 'string', minLength: 1 } } }
      }
    }
  }
})

type Json = Record<string, unknown>
const withTraits = (...attributes: unknown[]) => JSON.stringify({ name: 'n', attributes })
const get = async (url: string, headers = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

t.test('each public demo template has metadata in the shape of the standards', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, ...demoTemplates)
  for (const { id, publicProduct } of demoTemplates) {
    const { status, headers, body } = await get(`${url}/metadata/${id}.json`)
    if (!publicProduct) {
      t.equal(status, 404)
      continue
    }
    t.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    t.ok(isErc721?.(body) && isOpenSea(body), JSON.stringify(isOpenSea.errors))
    const other = await get(`${url}/metadata/${id}.json?format=erc1155`)
    t.ok(isErc1155?.(other.body))
    t.same(other.body.name, body.name)
  }
})

t.test(
  'integers are numbers, booleans texts, each text of a list an entry; empty values are omitted',
  async t => {
    const { url, db } = await service(t)
    await addTemplates(db, ...demoTemplates)
    t.same((await get(`${url}/metadata/15.json`)).body, {
      name: 'Nordlys Works trail jacket',
      description: 'Made of recovered nets.\n- waterproof\n- repairable\n- warm',
      image: 'https://ipfs.example.com/ipfs/bafybeijacket15nordlys',
      external_url: 'https://nordlys-works.example.com/jackets/trail',
      attributes: [
        { trait_type: 'FeaturesArray', value: 'waterproof' },
        { trait_type: 'FeaturesArray', value: 'repairable' },
        { trait_type: 'ProductName', value: 'Trail jacket' },
        { trait_type: 'RecyclingManual', value: 'https://recycling.example.com/nets' },
        { trait_type: 'MadeIn', value: 'Norway' },
        { trait_type: 'ProductType', value: 'Jacket' },
        { trait_type: 'CharityDonationRecipient', value: 'Clean Fjords' },
        { trait_type: 'CharityDonationAmount', value: '2 %' },
        { trait_type: 'EmailOptional', value: 'true' },
        { trait_type: 'UnitsProduced', value: '250' }
      ]
    })
    t.same((await get(`${url}/metadata/15.json?format=erc1155`)).body, {
      name: 'Nordlys Works trail jacket',
      description: 'Made of recovered nets.\n- waterproof\n- repairable\n- warm',
      image: 'https://ipfs.example.com/ipfs/bafybeijacket15nordlys',
      properties: {
        FeaturesArray: ['waterproof', 'repairable'],
        ProductName: 'Trail jacket',
        RecyclingManual: 'https://recycling.example.com/nets',
        MadeIn: 'Norway',
        ProductType: 'Jacket',
        CharityDonationRecipient: 'Clean Fjords',
        CharityDonationAmount: '2 %',
        EmailOptional: 'true',
        UnitsProduced: '250',
        external_url: 'https://nordlys-works.example.com/jackets/trail'
      }
    })
    const { attributes } = (await get(`${url}/metadata/0.json`)).body as { attributes: Json[] }
    t.same(attributes.at(-2), { trait_type: 'UnitsProduced', display_type: 'number', value: 500 })
  }
)

t.test('the example of the documents is an answer', async t => {
  const text = readFileSync(new URL('../../../docs/metadata.md', import.meta.url), 'utf8')
  const [, example = ''] = text.match(/```json\n([\s\S]*?)\n```/) ?? []
  const shown = JSON.parse(example)
  const attributes = [
    { trait_type: 'FeaturesArray', value: ['organic', 'no added sugar'] },
    { trait_type: 'Warning', value: '' },
    { trait_type: 'UnitsProduced', value: 500 },
    { trait_type: 'EmailOptional', value: true }
  ]
  const { url, db } = await service(t)
  await addTemplates(db, { data: JSON.stringify({ ...shown, attributes }) })
  t.same((await get(`${url}/metadata/0.json`)).body, shown)
})

t.test('a template that is not public, unknown or whose id is malformed looks the same', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 1, publicProduct: false }, { id: 2 })
  const answers = new Set<string>()
  const ids = [
    '1',
    '3',
    '-1',
    '02',
    '2.0',
    '2147483648',
    '99999999999999999999',
    'x',
    '%00',
    '2%20',
    'f'.repeat(64)
  ]
  for (const id of ids)
    for (const query of ['', '?revision=1', `?hash=sha256:${'0'.repeat(64)}`]) {
      const { status, headers, body } = await get(`${url}/metadata/${id}.json${query}`)
      const cors = headers.get('access-control-allow-origin')
      answers.add(JSON.stringify([status, headers.get('cache-control'), cors, body]))
    }
  const body = { code: 'not_found', message: 'no such public template' }
  t.same([...answers], [JSON.stringify([404, 'public, no-cache', '*', body])])
  t.equal((await get(`${url}/metadata/2.json`)).status, 200)
  t.equal(
    (await get(`${url}/metadata/${'2'.padStart(64, '0')}.json`)).status,
    200,
    'as EIP-1155 clients write it'
  )
})

t.test('wrong parameters are named', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  for (const [query, message] of [
    ['format=erc20', 'format must be erc721 or erc1155'],
    ['format=erc721&format=erc1155', 'format must be erc721 or erc1155'],
    ['revision=0', 'revision must be an integer from 1'],
    ['hash=abc', 'hash must be `sha256:` and 64 hexadecimal digits']
  ]) {
    const { status, body } = await get(`${url}/metadata/0.json?${query}`)
    t.same([status, body], [400, { code: 'bad_request', message }])
  }
  t.equal((await get(`${url}/metadata/0.json?t=1`)).status, 200)
})

t.test('the document is revalidated by its ETag', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { data: withTraits({ trait_type: 'MadeIn', value: 'Oslo' }) })
  const { headers } = await get(`${url}/metadata/0.json`)
  t.equal(headers.get('cache-control'), 'public, no-cache')
  const known = { 'if-none-match': headers.get('etag') ?? '' }
  const again = await fetch(`${url}/metadata/0.json`, { headers: known })
  t.same([again.status, await again.text(), again.headers.get('etag')], [304, '', known['if-none-match']])
  t.equal(again.headers.get('access-control-allow-origin'), '*')
  t.equal((await get(`${url}/metadata/0.json?format=erc1155`, known)).status, 200)

  // Written with plain SQL: the time of the modification stays.
  await db.updateTable('product_template').set({ data: withTraits() }).execute()
  const changed = await get(`${url}/metadata/0.json`, known)
  t.same([changed.status, changed.body], [200, { name: 'n', attributes: [] }])
})

t.test('IPFS links are rewritten to the gateway, if there is one', async t => {
  const links = {
    'ipfs://bafy1': 'bafy1',
    'ipfs://ipfs/Qm2/photo.png': 'Qm2/photo.png',
    '{ipfs_url}/bafy3': 'bafy3',
    'https://ipfs.example.com/ipfs/bafy4?x=1': 'bafy4?x=1',
    'ipfs://bafy7/..a/b...png?x=../..#/../': 'bafy7/..a/b...png?x=../..#/../'
  }
  const others = ['https://example.com/ipfs.html', 'ipfs://../admin', 'see ipfs://bafy5', 'Oslo']
  // They would lead out of the gateway's folder, in some browser or behind some server.
  const outside = [
    '/../../../admin?x=1',
    '/a/%2e%2E/%2e./b',
    '/..%2f..%2fadmin',
    '\\..\\..\\admin',
    '/.\t./../b',
    '/%'
  ]
  others.push(...outside.map(path => `ipfs://bafy6${path}`), '{ipfs_url}/./admin', 'ipfs://a@b/c')
  const nothing = ['', 'ipfs://', '{ipfs_url}/', 'https://ipfs.example.com/ipfs/']
  const values = [...Object.keys(links), ...others, ...nothing]
  const data = JSON.stringify({
    image: 'ipfs://bafy1',
    external_url: 'ipfs://',
    attributes: [...values.map(value => ({ trait_type: 'x', value })), { trait_type: 'x', value: values }]
  })
  const read = async (ipfsGateway: object) => {
    const { url, db } = await service(t, ipfsGateway)
    await addTemplates(db, { data }, ...nothing.map(image => ({ data: JSON.stringify({ image }) })))
    for (const id of nothing.keys())
      t.same((await get(`${url}/metadata/${id + 1}.json`)).body, {
        name: `template ${id + 1}`,
        attributes: []
      })
    return (await get(`${url}/metadata/0.json`)).body as Json & { attributes: { value: string }[] }
  }
  const untouched = [...Object.keys(links), ...others]
  const without = await read({})
  t.same([without.image, without.external_url], ['ipfs://bafy1', undefined])
  t.same(
    without.attributes.map(({ value }) => value),
    [...untouched, ...untouched]
  )

  const gateway = 'https://gateway.example.com/ipfs'
  const rewritten = [...Object.values(links).map(rest => `${gateway}/${rest}`), ...others]
  const withGateway = await read({ ipfsGateway: `${gateway}/` })
  t.equal(withGateway.image, `${gateway}/bafy1`)
  t.same(
    withGateway.attributes.map(({ value }) => value),
    [...rewritten, ...rewritten]
  )
})

t.test('documents that break the schema are served, too', async t => {
  const { url, db } = await service(t)
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const documents = [
    'no JSON',
    'null',
    '[]',
    '{"name":7,"image":{},"attributes":"x"}',
    `{"x":${deep},"attributes":[{"trait_type":"x","value":${deep}},null,7,{"value":1},{"trait_type":7}]}`,
    withTraits(...[null, 1.5, { a: 1 }, ['a', 1], []].map(value => ({ trait_type: 'x', value }))),
    '{"attributes":[{"trait_type":"__proto__","value":"a"},{"trait_type":"__proto__","value":[1e999,1]},{"trait_type":"__proto__","value":"b"}]}'
  ]
  await addTemplates(db, ...documents.map(data => ({ data })))
  const bodies = await Promise.all(
    documents.map(async (_, id) => (await get(`${url}/metadata/${id}.json`)).body)
  )
  for (const [id, body] of bodies.entries())
    t.ok(isOpenSea(body), `${id} ${JSON.stringify(isOpenSea.errors)}`)
  for (const id of [0, 1, 2, 3, 4]) t.same(bodies[id], { name: `template ${id}`, attributes: [] })
  t.same(bodies[5]?.attributes, [{ trait_type: 'x', display_type: 'number', value: 1.5 }])
  const response = await fetch(`${url}/metadata/6.json?format=erc1155`)
  t.equal(await response.text(), '{"name":"template 6","properties":{"__proto__":["a","b"]}}')
})

t.test('a document of several megabytes is served, and a small one cannot become gigabytes', async t => {
  const { url, db } = await service(t)
  const some = Array.from({ length: 30_000 }, (_, index) => ({ trait_type: `trait ${index}`, value: index }))
  const long = 'k'.repeat(2000)
  const list = Array(100).fill('a')
  await addTemplates(db, {}, {}, {})
  // Not by addTemplates: it would take seconds to index them.
  for (const [id, data] of [
    withTraits(...some),
    withTraits(...[100, 100, 10].map(length => ({ trait_type: long, value: list.slice(0, length) }))),
    withTraits({ trait_type: 'Warning', value: 'w'.repeat(2_000_000) })
  ].entries())
    await db.updateTable('product_template').set({ data }).where('id', '=', id).execute()
  const { body, headers } = await get(`${url}/metadata/0.json`)
  const { attributes } = body as { attributes: Json[] }
  t.same([attributes.length, attributes.at(-1)?.value], [30_000, 29_999])
  const head = await fetch(`${url}/metadata/0.json`, { method: 'HEAD' })
  t.equal(head.headers.get('etag'), headers.get('etag'))
  const joined = (await get(`${url}/metadata/1.json`)).body.attributes as Json[]
  const texts = [...list, list.join(', '), ...list.slice(0, 10)]
  t.same(
    joined.map(({ value }) => value),
    texts,
    'the second list would repeat too many names'
  )
  const other = (await get(`${url}/metadata/2.json?format=erc1155`)).body.properties as Json
  t.equal(other.Warning, 'w'.repeat(2_000_000))
})

type History = [isPublic: boolean, data: string][]

t.test('a pinned revision is public if it was, and its template is or was when it was deleted', async t => {
  const { url, db } = await service(t)
  const options = { author: fullRights, validation: {} }
  const values = { ...defaultValues, name: 'n' }
  const [draft, first, second] = ['draft', 'first', 'second'].map(name => JSON.stringify({ name })) as [
    string,
    string,
    string
  ]
  const histories: Record<number, History> = {
    0: [
      [false, draft],
      [true, first],
      [false, draft],
      [true, second]
    ],
    1: [
      [false, first],
      [true, first],
      [false, first],
      [true, second]
    ],
    2: [
      [true, first],
      [true, second],
      [false, second]
    ],
    3: [
      [true, first],
      [true, second],
      [false, second]
    ],
    4: [
      [false, draft],
      [true, first],
      [true, second]
    ]
  }
  const deleted = [3, 4]
  for (const [id, [begin, ...changes]] of Object.entries(histories)) {
    const [publicProduct, data] = begin as [boolean, string]
    await createTemplate(db, { id: Number(id), ...values, publicProduct, data }, options)
    for (const [publicProduct, data] of changes)
      await updateTemplate(db, Number(id), { publicProduct, data }, options)
  }
  for (const id of deleted) await deleteTemplate(db, id, options)

  const check = async (path: string, data: string | undefined) => {
    const { status, headers, body } = await get(`${url}/metadata/${path}`)
    // It can be revoked: the template may be made private.
    t.same([status, headers.get('cache-control')], [data === undefined ? 404 : 200, 'public, no-cache'], path)
    if (data !== undefined) t.same(body, { ...JSON.parse(data), attributes: [] })
  }
  for (const [id, history] of Object.entries(histories)) {
    const last = history.at(-1)?.[0]
    for (const [index, [isPublic, data]] of history.entries()) {
      const pin = `hash=sha256:${hash('sha256', data)}`
      const revision = `revision=${index + 1}`
      const somePublic = history.some(([isPublic, other]) => isPublic && other === data)
      await check(`${id}.json?${revision}`, last && isPublic ? data : undefined)
      await check(`${id}.json?${revision}&${pin}`, last && isPublic ? data : undefined)
      await check(`${id}.json?${pin}`, last && somePublic ? data : undefined)
    }
  }
  const other = `hash=sha256:${hash('sha256', second)}`
  const none = `hash=sha256:${'0'.repeat(64)}`
  for (const query of ['revision=5', 'revision=9999999999', `revision=2&${other}`, none])
    await check(`0.json?${query}`, undefined)
  for (const id of deleted) {
    await check(`${id}.json`, undefined)
    await check(`${id}.json?revision=4`, undefined)
  }
  const { headers } = await get(`${url}/metadata/0.json?revision=2`)
  const known = { 'if-none-match': headers.get('etag') ?? '' }
  const again = () => fetch(`${url}/metadata/0.json?revision=2`, { headers: known })
  t.equal((await again()).status, 304)
  await updateTemplate(db, 0, { publicProduct: false }, options)
  t.equal((await again()).status, 404, 'revoked')
})

t.test('a hash pins the bytes of the document, not the name of the template', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 3, name: 'n' })
  const nameless = `${url}/metadata/3.json?hash=sha256:${hash('sha256', '{}')}`
  t.same((await get(nameless)).body, { attributes: [] })
  t.same((await get(`${nameless}&revision=1&format=erc1155`)).body, { name: 'n', properties: {} })
})

t.test('clients that leave do not keep others waiting', async t => {
  const { app, url, db } = await service(t)
  const some = Array.from({ length: 3000 }, () => ({ trait_type: 'x', value: 'y' }))
  await addTemplates(db, {})
  await db
    .updateTable('product_template')
    .set({ data: withTraits(...some) })
    .execute()
  const { hostname, port } = new URL(url)
  for (let index = 0; index < 40; index++) {
    const socket = connect(Number(port), hostname)
    socket.write('GET /metadata/0.json HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.destroy())
    socket.on('error', () => {})
  }
  t.equal((await get(`${url}/metadata/0.json`)).status, 200)
  t.ok(app.server.listening)
})

t.test('scripts of any web page may read it', async t => {
  const { url, db } = await service(t, { prefix: '/shop' })
  await addTemplates(db, {})
  const preflight = await fetch(`${url}/metadata/0.json`, {
    method: 'OPTIONS',
    headers: { origin: 'https://wallet.example.com', 'access-control-request-method': 'GET' }
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-headers'), '*')
  for (const method of ['GET', 'HEAD'])
    t.equal(
      (await fetch(`${url}/metadata/0.json`, { method })).headers.get('access-control-allow-origin'),
      '*'
    )
  const refused = await fetch(`${url}/metadata/0.json`, { method: 'DELETE' })
  t.same([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  t.equal(refused.headers.get('access-control-allow-origin'), '*', 'also the refusal of a method')
})

t.test('a client that stops reading large metadata is disconnected', needs('Linux'), async t => {
  const { app, db, url } = await service(t, { graphqlStallTimeout: 1 })
  await addTemplates(db, { id: 1, data: JSON.stringify({ description: 'x'.repeat(3_900_000) }) })
  const connected = once(app.server, 'connection')
  const client = connect(Number(new URL(url).port), '127.0.0.1').pause()
  t.teardown(() => client.destroy())
  // More than the kernel takes for the client.
  client.write('GET /metadata/1.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12))
  const [connection] = await connected
  await t.resolves(once(connection, 'close', { signal: AbortSignal.timeout(120_000) }))
})
