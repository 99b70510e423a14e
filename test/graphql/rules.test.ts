/** What users with a rule on templates see and write, and what they do not. */
import { type Test, t } from 'tap'
import { versionsOf } from '../../db/versions.ts'
import { hashData } from '../../domain/document.ts'
import { users } from '../../store.ts'
import { openStream } from '../support/http/event-stream.ts'
import { accessToken, graphqlGet, graphqlRequest, query } from '../support/http/http.ts'
import { addTemplates, cheapHash, service, storedTemplates, user } from '../support/service/service.ts'

const rule = { componentName: { equals: 'TrackingRecord' } }

const document = (word: string, trait: string) =>
  JSON.stringify({ description: word, attributes: [{ trait_type: trait, value: word }] })

const ofRule = { componentName: 'TrackingRecord' }
const others = { componentName: 'DefaultProduct' }

/**
 * Starts a service with the templates 1 and 5, which the rule permits, 2, which it does not, 3, which an update has
 * brought under it, 4, which one has taken away, and 6, which was deleted when it was not permitted any more. Returns
 * functions that ask as the user with the rule, and as somebody else.
 */
async function withTemplates(t: Test) {
  const running = await service(t)
  const { db, url } = running
  await users.add(db, { email: 'bob@example.com', password: 'long enough, is it not' }, cheapHash)
  const bob = await accessToken(url, { username: 'bob@example.com', password: 'long enough, is it not' })
  const ada = await accessToken(url)
  const as = (token: string) => async (text: string) => (await query(url, token, text)).body
  await addTemplates(
    db,
    { id: 1, ...ofRule, data: document('amber', 'Colour') },
    { id: 2, ...others, data: document('violet', 'Secret') },
    { id: 3, ...others, data: document('before', 'Colour') },
    { id: 4, ...ofRule, data: document('shared', 'Colour') },
    { id: 5, ...ofRule, data: document('amber', 'Colour') },
    { id: 6, ...ofRule, data: document('gone', 'Colour') }
  )
  await as(bob)(`mutation {
    a: updateProduct(id: 3, input: { componentName: "TrackingRecord", data: "{\\"description\\":\\"after\\"}" }) { userErrors { code } }
    b: updateProduct(id: 4, input: { componentName: "DefaultProduct", data: "{\\"description\\":\\"hidden\\"}" }) { userErrors { code } }
    c: updateProduct(id: 6, input: { componentName: "DefaultProduct" }) { userErrors { code } }
    d: deleteProduct(id: 6) { userErrors { code } }
  }`)
  await users.update(db, user.email, { where: rule })
  return { ...running, ada, bob, ask: as(ada), askAsBob: as(bob) }
}

t.test('W01: every read is within the rule', async t => {
  const { ask } = await withTemplates(t)
  const data = async (text: string) => {
    const { data, errors } = await ask(text)
    t.notOk(errors, text)
    return data
  }
  t.same((await data('{ allProducts(orderBy: { field: ID, direction: ASC }) { id } }')).allProducts, [
    { id: 1 },
    { id: 3 },
    { id: 5 }
  ])
  t.same(
    await data(
      '{ products(where: { id: { lte: 4 } }, orderBy: { field: ID, direction: ASC }) { totalCount nodes { id } } }'
    ),
    {
      products: { totalCount: 2, nodes: [{ id: 1 }, { id: 3 }] }
    }
  )
  t.same(
    await data(
      '{ products(where: { or: [{ id: { gte: 0 } }, { not: { componentName: { equals: "x" } } }] }) { totalCount } }'
    ),
    { products: { totalCount: 3 } },
    'an alternative does not lead around it'
  )
  const one = async (id: number) => (await data(`{ product(id: ${id}) { name } }`)).product !== null
  t.same(
    [await one(1), await one(2), await one(3), await one(4), await one(6), await one(9)],
    [true, false, true, false, false, false]
  )
  const past = async (id: number, number: number) =>
    (await data(`{ productRevision(id: ${id}, number: ${number}) { contents { name } } }`)).productRevision
      ?.contents ?? null
  t.same(
    [await past(3, 1), await past(3, 2), await past(4, 1), await past(4, 2), await past(6, 2)].map(
      contents => contents !== null
    ),
    [false, true, true, false, false],
    'each revision by its own contents'
  )
  const byHash = async (text: string) =>
    (await data(`{ revisionByHash(hash: "${hashData(text)}") { templateId } }`)).revisionByHash?.templateId ??
    null
  t.same(
    [await byHash(document('violet', 'Secret')), await byHash(document('amber', 'Colour'))],
    [null, 5],
    'the latest that is seen'
  )
  t.equal(
    (
      await data(
        `{ revisionByHash(hash: "${hashData(document('violet', 'Secret')).slice(0, 8)}") { number } }`
      )
    ).revisionByHash,
    null
  )
  t.same((await data('{ revisionDiff(id: 3, from: 1, to: 2) { patch } }')).revisionDiff, null)
  t.same(
    (await data('{ product(id: 3) { revisions { nodes { number } pageInfo { hasNextPage } } } }')).product
      .revisions,
    { nodes: [{ number: 2 }], pageInfo: { hasNextPage: false } }
  )
  for (const first of [0, 1, 20]) {
    const pages = `(id: 2, first: ${first}) { nodes { number } pageInfo { hasNextPage endCursor } }`
    t.same(
      (await data(`{ productRevisions${pages} }`)).productRevisions,
      { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
      'nothing tells that there is a history'
    )
  }
  t.match(
    (await data('{ productRevisions(id: 4, first: 1) { nodes { number } pageInfo { hasNextPage } } }'))
      .productRevisions,
    { nodes: [{ number: 1 }], pageInfo: { hasNextPage: false } },
    'a page has what is seen'
  )
  t.same((await data('{ traits { type values { text count } } }')).traits, [
    { type: 'Colour', values: [{ text: 'amber', count: 2 }] }
  ])
  t.same((await data('{ facets(fields: [COMPONENT_NAME]) { values { value count } } }')).facets, [
    { values: [{ value: 'TrackingRecord', count: 3 }] }
  ])
  t.same(
    [
      (await data('{ searchSuggestion(search: "vilet") }')).searchSuggestion,
      (await data('{ searchSuggestion(search: "ambr") }')).searchSuggestion
    ],
    [null, 'amber']
  )
  t.equal((await data('{ viewer { where } }')).viewer.where, JSON.stringify(rule))
})

const seenChanges = [
  ['INSERT', 1, 1],
  ['INSERT', 4, 1],
  ['INSERT', 5, 1],
  ['INSERT', 6, 1],
  ['INSERT', 3, 2],
  ['DELETE', 4, 2],
  ['DELETE', 6, 2]
]

t.test('W02: changes tell what comes under the rule and what leaves it', async t => {
  const { ask, ada, url } = await withTemplates(t)
  const { data } = await ask('{ changes { nodes { action templateId revision hash contents { name } } } }')
  const nodes: {
    action: string
    templateId: number
    revision: number
    hash: string | null
    contents: object | null
  }[] = data.changes.nodes
  t.same(
    nodes.map(({ action, templateId, revision }) => [action, templateId, revision]),
    seenChanges
  )
  t.same(
    nodes.flatMap(({ hash, contents }) => [hash !== null, contents !== null]),
    seenChanges.flatMap(([action]) => [action !== 'DELETE', action !== 'DELETE']),
    'of what has left there is nothing but that it has'
  )
  const stream = await openStream(url, ada, { after: 'start' })
  const events = await stream.events(seenChanges.length)
  t.same(
    events.map(({ event, data }) => [event?.toUpperCase(), data?.id, data?.revision]),
    seenChanges
  )
  t.same(
    events.filter(({ event, data }) => event === 'delete' && data?.hash !== null),
    []
  )
  await stream.close()
})

t.test('W03: pages of changes go on behind what is not seen', async t => {
  const { ask } = await withTemplates(t)
  const found: unknown[] = []
  let after = ''
  for (let more = true; more; ) {
    const { data } = await ask(
      `{ changes(first: 1${after}) { nodes { action templateId revision } pageInfo { hasNextPage endCursor } } }`
    )
    const { nodes, pageInfo } = data.changes
    found.push(...nodes.map((node: Record<string, unknown>) => [node.action, node.templateId, node.revision]))
    more = pageInfo.hasNextPage
    after = `, after: "${pageInfo.endCursor}"`
  }
  t.same(found, seenChanges)
})

t.test('W04: a stream follows a rule that changes', async t => {
  const { askAsBob, ada, url, db } = await withTemplates(t)
  const stream = await openStream(url, ada)
  await askAsBob('mutation { updateProduct(id: 2, input: { maxItems: 7 }) { userErrors { code } } }')
  await askAsBob('mutation { updateProduct(id: 1, input: { maxItems: 7 }) { userErrors { code } } }')
  t.match((await stream.events(1))[0], { data: { id: 1 } })
  await users.update(db, user.email, { where: { id: { equals: 2 } } })
  await askAsBob('mutation { updateProduct(id: 1, input: { maxItems: 8 }) { userErrors { code } } }')
  await askAsBob('mutation { updateProduct(id: 2, input: { maxItems: 8 }) { userErrors { code } } }')
  t.match((await stream.events(1))[0], { data: { id: 2 } })
  await stream.close()
})

t.test('W05: a stream tells nothing that was committed after its rule', async t => {
  const { ada, url, db } = await withTemplates(t)
  const stream = await openStream(url, ada)
  const versions = versionsOf(db)
  const now = versions.now.bind(versions)
  // The worst moment: the stream knows a version, and the rule and the templates change before it reads changes.
  versions.now = async () => {
    // Once: the feed and the stream may ask at the same time.
    versions.now = now
    const version = await now()
    await users.update(db, user.email, { where: { id: { gte: 100 } } })
    await addTemplates(db, { id: 50, ...ofRule }, { id: 100, ...ofRule })
    return version
  }
  t.match((await stream.events(1))[0], { data: { id: 100 } })
  await stream.close()
})

const values = (more: string) =>
  `blockchainId: 1, maxItems: 1, name: "new", publicProduct: false, data: "{}", ${more}`
const problems = 'userErrors { code }'

/** Writes that are refused, and how. */
const refused = {
  'change another': [
    `updateProduct(id: 2, input: { maxItems: 3 }) { ${problems} product { id } }`,
    'NOT_FOUND'
  ],
  'change what has left': [
    `updateProduct(id: 4, input: { maxItems: 3 }) { ${problems} product { id } }`,
    'NOT_FOUND'
  ],
  'change another at a revision': [
    `updateProduct(id: 2, input: { maxItems: 3 }, expectedRevision: 9) { ${problems} product { id } }`,
    'NOT_FOUND'
  ],
  'delete another': [`deleteProduct(id: 2) { ${problems} product { id } }`, 'NOT_FOUND'],
  'restore another': [`restoreProduct(id: 2, revision: 1) { ${problems} product { id } }`, 'NOT_FOUND'],
  'restore what has left': [`restoreProduct(id: 4, revision: 1) { ${problems} product { id } }`, 'NOT_FOUND'],
  'restore what was deleted by others': [
    `restoreProduct(id: 6, revision: 1) { ${problems} product { id } }`,
    'NOT_FOUND'
  ],
  'restore a revision that is not seen': [
    `restoreProduct(id: 3, revision: 1) { ${problems} product { id } }`,
    'NOT_FOUND'
  ],
  'create outside': [
    `createProduct(input: { ${values('componentName: "DefaultProduct"')} }) { ${problems} product { id } }`,
    'FORBIDDEN'
  ],
  'take away': [
    `updateProduct(id: 1, input: { componentName: "DefaultProduct" }) { ${problems} product { id } }`,
    'FORBIDDEN'
  ],
  'change several, one of them another': [
    `updateProducts(ids: [1, 2], change: { maxItems: 3 }) { ${problems} count }`,
    'NOT_FOUND'
  ],
  'take several away': [
    `updateProducts(where: { id: { gte: 0 } }, change: { componentName: "DefaultProduct" }) { ${problems} count }`,
    'FORBIDDEN'
  ],
  'delete several, one of them another': [`deleteProducts(ids: [1, 4]) { ${problems} count }`, 'NOT_FOUND'],
  'restore several, one of them another': [
    `restoreProducts(input: [{ id: 1, revision: 1 }, { id: 4, revision: 1 }]) { ${problems} count }`,
    'NOT_FOUND'
  ],
  'import over another': [
    `importProducts(mode: REPLACE, input: [{ id: 2, ${values('componentName: "TrackingRecord"')} }]) { ${problems} products { id } }`,
    'ID_TAKEN'
  ],
  'import and keep another': [
    `importProducts(mode: KEEP, input: [{ id: 2, ${values('componentName: "TrackingRecord"')} }]) { ${problems} products { id } }`,
    'ID_TAKEN'
  ],
  'create with the id of one that was deleted by others': [
    `createProduct(input: { id: 6, ${values('componentName: "TrackingRecord"')} }) { ${problems} product { id } }`,
    'ID_TAKEN'
  ],
  'import with the id of one that was deleted by others': [
    `importProducts(mode: REPLACE, input: [{ id: 6, ${values('componentName: "TrackingRecord"')} }]) { ${problems} products { id } }`,
    'ID_TAKEN'
  ],
  'import outside': [
    `importProducts(mode: CREATE, input: [{ ${values('componentName: "DefaultProduct"')} }]) { ${problems} products { id } }`,
    'OUTSIDE_RULE'
  ]
} satisfies Record<string, [string, string]>

t.test('W06: no write leads out of the rule', async t => {
  const { ask, db } = await withTemplates(t)
  const before = await storedTemplates(db)
  for (const [name, [text, code]] of Object.entries(refused)) {
    const { data, errors } = await ask(`mutation { ${text} }`)
    const [payload] = Object.values(data ?? {}) as { product?: object; userErrors: { code: string }[] }[]
    t.equal(errors?.[0].extensions.code ?? payload?.userErrors[0]?.code, code, name)
    if (code === 'FORBIDDEN') t.equal(errors?.[0].extensions.reason, 'OUTSIDE_RULE', name)
    t.notOk(payload?.product, `${name}: nothing is told`)
    t.same(await storedTemplates(db), before, `${name}: nothing is written`)
  }
})

t.test('W06: an import tells each template that is outside the rule, and a dry run does, too', async t => {
  const { ask, db } = await withTemplates(t)
  const before = await storedTemplates(db)
  const [own, other] = ['TrackingRecord', 'DefaultProduct'].map(name => values(`componentName: "${name}"`))
  const write = async (input: string, dryRun: boolean) =>
    (
      await ask(
        `mutation { write: importProducts(mode: REPLACE, dryRun: ${dryRun}, input: [${input}]) {
          created replaced products { id } userErrors { code path } } }`
      )
    ).data.write
  for (const dryRun of [true, false]) {
    const refused = await write(`{ ${other} }, { ${own} }, { id: 1, ${other} }, { id: 2, ${own} }`, dryRun)
    t.same(
      refused,
      {
        ...{ created: 0, replaced: 0, products: [] },
        userErrors: [
          { code: 'OUTSIDE_RULE', path: ['input', '2'] },
          { code: 'ID_TAKEN', path: ['input', '3', 'id'] },
          { code: 'OUTSIDE_RULE', path: ['input', '0'] }
        ]
      },
      `dryRun: ${dryRun}`
    )
    t.same(await storedTemplates(db), before)
  }
  t.match(await write(`{ ${own} }, { id: 1, ${own} }`, true), { created: 1, replaced: 1, userErrors: [] })
  t.same(await storedTemplates(db), before)
  t.match(await write(`{ ${own} }, { id: 1, ${own} }`, false), { created: 1, replaced: 1, userErrors: [] })
})

t.test('W06: what was withdrawn of a hidden template stays withdrawn after its deletion', async t => {
  const { ask, askAsBob, db, url } = await withTemplates(t)
  await addTemplates(db, { id: 9, ...others, publicProduct: true })
  await askAsBob(`mutation {
    updateProduct(id: 9, input: { publicProduct: false }) { ${problems} }
    deleteProduct(id: 9) { ${problems} }
  }`)
  const input = `{ id: 9, ${values('componentName: "TrackingRecord"')} }`.replace('false', 'true')
  const { data } = await ask(`mutation { createProduct(input: ${input}) { ${problems} } }`)
  t.match(data.createProduct.userErrors, [{ code: 'ID_TAKEN' }])
  t.equal((await fetch(`${url}/metadata/9.json?revision=1`)).status, 404)
})

t.test('within the rule, everything is written', async t => {
  const { ask, db } = await withTemplates(t)
  const { data, errors } = await ask(`mutation {
    create: createProduct(input: { id: 20, ${values('componentName: "TrackingRecord"')} }) { ${problems} product { id } }
    update: updateProduct(id: 1, input: { maxItems: 3 }) { ${problems} product { maxItems } }
    several: updateProducts(where: { id: { gte: 0 } }, change: { name: "all" }) { ${problems} count }
    restore: restoreProduct(id: 5, revision: 1) { ${problems} product { id } }
    import: importProducts(mode: REPLACE, input: [{ id: 1, ${values('componentName: "TrackingRecord"')} }]) { ${problems} replaced }
    keep: importProducts(mode: KEEP, input: [{ id: 1, ${values('componentName: "TrackingRecord"')} }]) { ${problems} kept }
    delete: deleteProduct(id: 5) { ${problems} product { id } }
    back: restoreProduct(id: 5, revision: 1) { ${problems} product { id } }
    rest: deleteProducts(where: { id: { gte: 0 } }) { ${problems} count }
  }`)
  t.notOk(errors)
  t.same(
    Object.values(data as Record<string, { userErrors: [] }>).map(({ userErrors }) => userErrors),
    Array.from({ length: 9 }, () => [])
  )
  t.same([data.several.count, data.rest.count], [4, 4])
  t.same((await storedTemplates(db)).map(({ id }) => id).sort(), [2, 4])
})

t.test('W07: cached responses are not shared between rules, and a rule counts at once', async t => {
  const { ada, bob, url, db } = await withTemplates(t)
  const text = '{ allProducts(orderBy: { field: ID, direction: ASC }) { id } }'
  const ids = async (token: string) => {
    const response = await graphqlGet(url, token, { query: text })
    return ((await response.json()) as { data: { allProducts: { id: number }[] } }).data.allProducts.map(
      ({ id }) => id
    )
  }
  const all = [1, 2, 3, 4, 5]
  for (let time = 0; time < 3; time++) t.same([await ids(bob), await ids(ada)], [all, [1, 3, 5]])
  await users.update(db, user.email, { where: { id: { in: [2] } } })
  t.same([await ids(bob), await ids(ada)], [all, [2]])
  await users.update(db, user.email, { where: null })
  t.same(await ids(ada), all)
})

t.test('a rule and a filter on traits know what another program has just written', async t => {
  const { ask, askAsBob, db } = await withTemplates(t)
  const write = (word: string) =>
    db
      .updateTable('product_template')
      .set({ data: document(word, 'Colour') })
      .where('id', '=', 1)
      .execute()
  await users.update(db, user.email, { where: { trait: { type: 'Colour', equals: 'amber' } } })
  await write('green')
  t.same((await ask('{ allProducts { id } }')).data, { allProducts: [{ id: 5 }] })
  await write('blue')
  const text = '{ allProducts(where: { and: [{ trait: { type: "Colour", equals: "blue" } }] }) { id } }'
  t.same((await askAsBob(text)).data, { allProducts: [{ id: 1 }] })
})

t.test('a rule has dates, and a filter by dates tells nothing of what the rule hides', async t => {
  const { ask, db } = await withTemplates(t)
  const toData = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Since', value }] })
  const dates = ['2026-02-28', '2026-03-01', '2026-03-31T12:00:00', '2026-04-01']
  await addTemplates(db, ...dates.map((date, at) => ({ id: 10 + at, data: toData(date) })))
  const where = { trait: { type: 'Since', date: { gte: '2026-03-01', lte: '2026-03-31' } } }
  await users.update(db, user.email, { where })
  const since = (bound: string) => `where: { trait: { type: "Since", date: { ${bound} } } }`
  const { data } = await ask(`{ all: allProducts { id }
    before: products(${since('lt: "2026-03-01"')}) { totalCount nodes { id } }
    after: products(${since('gt: "2026-03-01"')}) { totalCount nodes { id } }
    traits(${since('lte: "9999-12-31"')}) { values { text } } }`)
  t.same(data, {
    all: [{ id: 12 }, { id: 11 }],
    before: { totalCount: 0, nodes: [] },
    after: { totalCount: 1, nodes: [{ id: 12 }] },
    traits: [{ values: [{ text: '2026-03-01' }, { text: '2026-03-31T12:00:00' }] }]
  })
})

t.test('W08: a rule that this program does not understand permits nothing', async t => {
  const { ask, db } = await withTemplates(t)
  for (const where of ['{"colour":{"equals":"red"}}', '{', '7', '{}', '{"id":{"equals":"1"}}']) {
    await db
      .updateTable('product_user')
      .set({ template_where: where })
      .where('email', '=', user.email)
      .execute()
    t.same(
      (await ask('{ allProducts { id } product(id: 1) { id } }')).data,
      { allProducts: [], product: null },
      where
    )
  }
})

function nested(levels: number, wrap: (inner: object) => object, inner: object): object {
  return levels === 0 ? inner : Array.from({ length: levels }).reduce<object>(wrap, inner)
}

t.test('a wrong rule is refused', async t => {
  const { db } = await service(t)
  const wrong: [object, string][] = [
    [{}, 'where must have a condition'],
    [{ colour: {} }, 'where.colour is not a field of a filter'],
    [{ id: { equals: 'x' } }, 'where.id.equals has a value of the wrong type'],
    [{ id: { like: 1 } }, 'where.id does not support the operator like'],
    [{ and: {} }, 'where.and must be a list'],
    [{ not: { or: [{ search: 7 }] } }, 'where.not.or.search must be a text'],
    [{ trait: { equals: 7 } }, 'where.trait.type is missing'],
    [{ timeCreated: { gt: 'yesterday' } }, 'a time must have the form YYYY-MM-DDTHH:MM:SS.ffffffZ'],
    [{ trait: { type: 'x', date: 7 } }, 'where.trait.date has a value of the wrong type'],
    [{ trait: { type: 'x', date: {} } }, 'where.trait.date must have a condition'],
    [{ trait: { type: 'x', date: { gt: null } } }, 'where.trait.date.gt must not be null'],
    [{ trait: { type: 'x', date: { in: [] } } }, 'where.trait.date does not support the operator in'],
    [{ trait: { type: 'x', date: { gt: '2026-02-29' } } }, 'a date must exist and have the form YYYY-MM-DD'],
    [JSON.parse('{"__proto__":{}}'), 'where.__proto__ is not a field of a filter'],
    [{ componentName: {} }, 'where.componentName must have a condition'],
    [{ and: [] }, 'where.and must have a condition'],
    [{ and: [{ or: [{}] }] }, 'where.and.or must have a condition'],
    [{ trait: { type: 'x', equals: undefined } }, 'where.trait.equals has a value of the wrong type'],
    [{ trait: { type: 'x', in: [Number.NaN] } }, 'where.trait.in has a value of the wrong type'],
    [nested(100_000, where => ({ not: where }), { id: { gt: 1 } }), 'where is nested too deeply'],
    [{ trait: { type: 'x', equals: nested(100_000, one => [one], []) } }, 'where is nested too deeply']
  ]
  for (const [where, message] of wrong)
    await t.rejects(users.update(db, user.email, { where }), { code: 'PTS_BAD_ARGUMENT', message })
})

t.test('a rule and a filter may both be as large as is allowed', async t => {
  const { db, ada, url } = await withTemplates(t)
  await addTemplates(db, { id: 7, ...ofRule, data: document('12', 'Colour') })
  const condition = { name: { contains: 'emplate' }, trait: { type: 'Colour', contains: '1', gt: 0 } }
  const where = { and: Array.from({ length: 99 }, () => condition) }
  await users.update(db, user.email, { where })
  const text = 'query($where: ProductTemplateFilter) { products(where: $where) { totalCount nodes { id } } }'
  t.same((await query(url, ada, text, { variables: { where } })).body, {
    data: { products: { totalCount: 1, nodes: [{ id: 7 }] } }
  })
})

async function askWith(url: string, token: string, text: string, headers: Record<string, string>) {
  const response = await graphqlRequest(url, token, { query: text }, headers)
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
  return (await response.json()) as any
}

t.test('W09: what a request with an idempotency key has done is not told under another rule', async t => {
  const { ada, url, db } = await withTemplates(t)
  const text = `mutation { importProducts(mode: KEEP, input: [{ id: 1, ${values('componentName: "TrackingRecord"')} }]) {
    ${problems} products { id data } } }`
  const send = async () => (await askWith(url, ada, text, { 'Idempotency-Key': 'once' })).data.importProducts
  t.match(await send(), { userErrors: [], products: [{ id: 1 }] })
  await users.update(db, user.email, { where: { id: { equals: 5 } } })
  t.same(await send(), { userErrors: [{ code: 'IDEMPOTENCY_KEY_REUSED' }], products: [] })
})

t.test(
  'W10: the time that an operation took is not told, because it depends on hidden templates',
  async t => {
    const { ada, bob, url } = await withTemplates(t)
    const tell = async (token: string) => {
      const text = '{ products(orderBy: { trait: "Secret", direction: ASC }) { totalCount } }'
      return Object.keys((await askWith(url, token, text, { 'GraphQL-Cost': '1' })).extensions.cost)
    }
    t.same(await tell(bob), ['requested', 'actual', 'limit'])
    t.same(await tell(ada), ['requested', 'limit'])
  }
)
