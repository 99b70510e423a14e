/** Bulk writes are bulk changes: who sees them, and how they are undone. */
import { randomUUID } from 'node:crypto'
import { type Test, t } from 'tap'
import { users } from '../../../store.ts'
import { accessToken, query } from '../../support/http/http.ts'
import { addTemplates, cheapHash, storedTemplates, user } from '../../support/service/service.ts'
import { writer } from './store.ts'

const list = `query ($first: Int, $after: String) { bulkChanges(first: $first, after: $after) {
  nodes { id action author { name clientName } message count } pageInfo { hasNextPage endCursor } } }`
const one = `query ($id: ID!, $first: Int, $after: String) { bulkChange(id: $id) { count revisions(first: $first, after: $after) {
  nodes { templateId number action isLatest contents { name } } pageInfo { hasNextPage endCursor } } } }`
const update = `mutation ($where: ProductTemplateFilter!, $name: String!, $bulkChange: ID, $message: String) {
  write: updateProducts(where: $where, change: { name: $name }, bulkChange: $bulkChange, message: $message) {
    written { templateId revision } userErrors { code } } }`
const importation = `mutation ($input: [ImportProductInput!]!, $mode: ImportMode!, $bulkChange: ID) {
  write: importProducts(input: $input, mode: $mode, bulkChange: $bulkChange, message: "spring") {
    created replaced userErrors { code } } }`
const restore = `mutation ($input: [RestoreProductInput!]!, $bulkChange: ID) {
  write: restoreProducts(input: $input, bulkChange: $bulkChange, message: "undo") {
    written { templateId revision } userErrors { code templateId } } }`

const record = (id: number, name: string) => ({ id, blockchainId: 1, maxItems: 1, name, data: '{}' })

interface Node {
  templateId: number
  number: number
  action: string
  isLatest: boolean
}

type Send = Awaited<ReturnType<typeof writer>>['send']

const bulkChangesOf = async (send: Send, variables: object = {}) =>
  (await send(list, variables)).data.bulkChanges.nodes as { id: string; action: string; count: number }[]

/** Restores what was before each revision of a bulk change that is the last one of its template. */
async function undo(t: Test, send: Send, id: string): Promise<string> {
  const bulkChange = randomUUID()
  const found = await send(one, { id, first: 1000 })
  const latest = found.data.bulkChange.revisions.nodes.filter(
    ({ isLatest }: { isLatest: boolean }) => isLatest
  )
  const input = latest.map(({ templateId, number }: { templateId: number; number: number }) => ({
    id: templateId,
    revision: number - 1,
    expectedRevision: number
  }))
  const undone = await send(restore, { input, bulkChange })
  t.same(undone.data.write.userErrors, [])
  return bulkChange
}

t.test('an import of several requests is one bulk change, which is undone, and the undo too', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1, name: 'Old' }, { id: 2, name: 'Old' })
  const before = await storedTemplates(db)
  const bulkChange = randomUUID()
  for (const input of [[record(1, 'New')], [record(2, 'New'), record(3, 'New')]])
    await send(importation, { input, mode: 'REPLACE', bulkChange })
  const imported = await storedTemplates(db)
  t.same(await bulkChangesOf(send), [
    {
      id: bulkChange,
      action: 'IMPORT',
      message: 'spring',
      count: 3,
      author: { name: 'Ada Byron', clientName: 'test-client' }
    }
  ])
  const undone = await undo(t, send, bulkChange)
  t.same(
    (await storedTemplates(db)).map(({ id, name, data }) => [id, name, data]),
    before.map(({ id, name, data }) => [id, name, data]),
    'the one that was new is deleted'
  )
  const { nodes } = (await send(one, { id: undone })).data.bulkChange.revisions
  t.same(nodes.map(({ templateId, action }: Node) => [templateId, action]).toSorted(), [
    [1, 'RESTORE'],
    [2, 'RESTORE'],
    [3, 'DELETE']
  ])
  await undo(t, send, undone)
  t.same(
    (await storedTemplates(db)).map(({ id, name, data }) => [id, name, data]),
    imported.map(({ id, name, data }) => [id, name, data])
  )
  t.same(
    (await bulkChangesOf(send)).map(({ action, count }) => [action, count]),
    [
      ['RESTORE', 3],
      ['RESTORE', 3],
      ['IMPORT', 3]
    ]
  )
})

t.test('what somebody has changed since is told, and nothing of it is lost', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1, name: 'First' }, { id: 2 })
  const bulkChange = randomUUID()
  await send(update, { where: { id: { in: [1, 2] } }, name: 'Many', bulkChange })
  await send(update, { where: { id: { equals: 2 } }, name: 'Since' })
  const { nodes } = (await send(one, { id: bulkChange })).data.bulkChange.revisions
  t.same(nodes.map(({ templateId, isLatest }: Node) => [templateId, isLatest]).toSorted(), [
    [1, true],
    [2, false]
  ])
  const stale = await send(restore, { input: [{ id: 2, revision: 0, expectedRevision: 2 }] })
  t.same(stale.data.write.userErrors, [{ code: 'CONFLICT', templateId: 2 }], 'also if it was created')
  const careless = await send(restore, { input: [{ id: 2, revision: 0 }] })
  t.same(careless.data.write.userErrors, [{ code: 'NOT_FOUND', templateId: 2 }])
  await undo(t, send, bulkChange)
  t.same(
    (await storedTemplates(db)).map(({ name }) => name),
    ['First', 'Since']
  )
})

t.test('only an undo of many deletes; what its author may not undo is told, and can be left out', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const single =
    'mutation { write: restoreProduct(id: 1, revision: 0, expectedRevision: 1) { product { id } userErrors { code } } }'
  t.match((await send(single)).data.write, { product: null, userErrors: [{ code: 'NOT_FOUND' }] })
  await send('mutation { updateProduct(id: 2, input: { name: "new" }) { userErrors { code } } }')
  await users.update(db, user.email, { role: 'editor' })
  const input = [
    { id: 1, revision: 0, expectedRevision: 1 },
    { id: 2, revision: 1, expectedRevision: 2 }
  ]
  const refused = (await send(restore, { input }, { scope: 'write read' })).data.write
  t.match(refused, { written: [], userErrors: [{ code: 'NO_RIGHT_TO_PUBLISH', templateId: 1 }] })
  const rest = (await send(restore, { input: input.slice(1) }, { scope: 'write read' })).data.write
  t.match(rest, { written: [{ templateId: 2 }], userErrors: [] })
})

t.test('a bulk change tells what it did, and who has undone it', async t => {
  const { db, url, send } = await writer(t)
  await addTemplates(db, { id: 1, name: 'Old' }, { id: 2, name: 'Old' })
  const fields =
    'action count created deleted undone undoes { id undoes { id } } undoneBy { author { name } undone undoneBy { id } }'
  const told = async () =>
    (await send(`{ bulkChanges { nodes { ${fields} } } }`)).data.bulkChanges.nodes as object[]
  const imported = randomUUID()
  await send(importation, {
    input: [record(1, 'New'), record(3, 'New')],
    mode: 'REPLACE',
    bulkChange: imported
  })
  t.match(await told(), [{ action: 'IMPORT', count: 2, created: 1, deleted: 0, undone: 0, undoneBy: null }])
  // In two requests, which are one bulk change.
  const undoing = randomUUID()
  for (const [id, expectedRevision] of [
    [1, 2],
    [3, 1]
  ] as const)
    await send(restore, {
      ...{ input: [{ id, revision: expectedRevision - 1, expectedRevision }], bulkChange: undoing }
    })
  const by = { author: { name: 'Ada Byron' }, undone: 0, undoneBy: null }
  t.match(await told(), [
    {
      action: 'RESTORE',
      count: 2,
      created: 0,
      deleted: 1,
      undone: 0,
      undoes: { id: imported },
      undoneBy: null
    },
    { action: 'IMPORT', undone: 2, undoes: null, undoneBy: by }
  ])
  const redone = await undo(t, send, undoing)
  t.match(await told(), [
    {
      ...{ action: 'RESTORE', count: 2, created: 1, deleted: 0, undone: 0 },
      undoes: { id: undoing, undoes: { id: imported } }
    },
    { undone: 2, undoneBy: by },
    { undone: 2, undoneBy: { undone: 2, undoneBy: { id: redone } } }
  ])

  await send('mutation { deleteProducts(ids: [1]) { userErrors { code } } }')
  t.match((await told())[0], { action: 'DELETE', count: 1, created: 0, deleted: 1 })
  await send('mutation { updateProduct(id: 2, input: { name: "alone" }) { userErrors { code } } }')
  const several = [
    { id: 1, revision: 4 },
    { id: 2, revision: 1 }
  ]
  t.same((await send(restore, { input: several })).data.write.userErrors, [])
  t.match(await told(), [
    { action: 'RESTORE', count: 2, undoes: null },
    { action: 'DELETE', undone: 0, undoneBy: null }
  ])

  const bob = { email: 'bob@example.com', password: 'long enough, is it not' }
  await users.add(db, bob, cheapHash)
  await query(url, await accessToken(url, { username: bob.email, password: bob.password }), update, {
    variables: { where: {}, name: 'Bob' }
  })
  await users.update(db, user.email, { where: { id: { lte: 3 } } })
  t.same((await told()).length, 5, 'of a user with a rule, only their own, with their undos')
})

t.test('only what brings the state before a bulk change back is its undo', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1, name: 'A' }, { id: 2, name: 'A' })
  await send('mutation { updateProduct(id: 1, input: { name: "B" }) { userErrors { code } } }')
  const bulkChange = randomUUID()
  await send(update, { where: { id: { equals: 1 } }, name: 'C', bulkChange })
  const restoreTo = async (id: number, revision: number) =>
    t.same((await send(restore, { input: [{ id, revision }] })).data.write.userErrors, [])
  const told = async (id: string) =>
    (await send('query ($id: ID!) { bulkChange(id: $id) { count undone } }', { id })).data.bulkChange
  await restoreTo(1, 1)
  t.same(await told(bulkChange), { count: 1, undone: 0 }, 'a state that is older')
  const twice = randomUUID()
  for (const name of ['B', 'C']) await send(update, { where: { id: { equals: 2 } }, name, bulkChange: twice })
  await restoreTo(2, 2)
  t.same(await told(twice), { count: 2, undone: 1 }, 'a part of it')
  const whole = randomUUID()
  for (const name of ['D', 'E']) await send(update, { where: { id: { equals: 2 } }, name, bulkChange: whole })
  await restoreTo(2, 4)
  t.same(await told(whole), { count: 2, undone: 1 }, 'all of it, in one template')
})

t.test('pages continue after a cursor, of bulk changes and of their revisions', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 }, { id: 3 })
  for (const name of ['A', 'B', 'C']) await send(update, { where: {}, name })
  const all = await bulkChangesOf(send)
  t.equal(all.length, 3)
  const first = (await send(list, { first: 2 })).data.bulkChanges
  t.same(first.nodes, all.slice(0, 2))
  t.same((await bulkChangesOf(send, { after: first.pageInfo.endCursor })).length, 1)
  const id = all[0]?.id
  const start = (await send(one, { id, first: 2 })).data.bulkChange.revisions
  const end = (await send(one, { id, after: start.pageInfo.endCursor })).data.bulkChange.revisions
  t.same([start.pageInfo.hasNextPage, end.pageInfo.hasNextPage], [true, false])
  t.same([...start.nodes, ...end.nodes].map(({ templateId }: Node) => templateId).toSorted(), [1, 2, 3])
})

t.test('a bulk change is a UUID, and only its author adds to it', async t => {
  const { db, url, send } = await writer(t)
  await addTemplates(db, { id: 1 })
  const wrong = await send(update, { where: {}, name: 'A', bulkChange: 'mine' })
  t.match(wrong.errors, [{ message: 'bulkChange must be a UUID in lower case' }])
  const bulkChange = randomUUID()
  await send(update, { where: {}, name: 'A', bulkChange })
  await users.add(db, { email: 'bob@example.com', password: 'long enough, is it not' }, cheapHash)
  const bob = await accessToken(url, { username: 'bob@example.com', password: 'long enough, is it not' })
  const { body } = await query(url, bob, update, { variables: { where: {}, name: 'B', bulkChange } })
  t.match(body.errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.same(
    (await storedTemplates(db)).map(({ name }) => name),
    ['A']
  )
})

t.test('a user with a rule does not learn how many hidden templates others have changed', async t => {
  const { db, url, send } = await writer(t)
  await addTemplates(db, { id: 1, componentName: 'Seen' }, { id: 2, componentName: 'Hidden' })
  await users.add(db, { email: 'bob@example.com', password: 'long enough, is it not' }, cheapHash)
  const bob = await accessToken(url, { username: 'bob@example.com', password: 'long enough, is it not' })
  const [ofBob, own] = [randomUUID(), randomUUID()]
  await query(url, bob, update, { variables: { where: {}, name: 'Bob', bulkChange: ofBob } })
  await users.update(db, user.email, { where: { componentName: { equals: 'Seen' } } })
  await send(update, { where: {}, name: 'Ada', bulkChange: own })
  t.match(await bulkChangesOf(send), [{ id: own, count: 1 }])
  t.equal((await bulkChangesOf(send)).length, 1)
  t.same((await send(one, { id: ofBob })).data, { bulkChange: null })
  t.same((await send(one, { id: own })).data.bulkChange.revisions.nodes.length, 1)
  const undoing = randomUUID()
  await query(url, bob, restore, {
    variables: { input: [{ id: 1, revision: 2, expectedRevision: 3 }], bulkChange: undoing }
  })
  const undone = async () =>
    (
      await query(url, bob, 'query ($id: ID!) { bulkChange(id: $id) { undoes { id } } }', {
        variables: { id: undoing }
      })
    ).body.data.bulkChange
  t.same(await undone(), { undoes: { id: own } })
  await users.update(db, 'bob@example.com', { where: { id: { lte: 3 } } })
  t.same(await undone(), { undoes: null }, 'what somebody else did is hidden')
  await users.update(db, 'bob@example.com', { where: null })
  const told = () => send('query ($id: ID!) { bulkChange(id: $id) { undone undoneBy { id } } }', { id: own })
  t.same((await told()).data.bulkChange, { undone: 1, undoneBy: null }, 'nor the undo of somebody else')
  await users.update(db, user.email, { where: null })
  t.same((await told()).data.bulkChange, { undone: 1, undoneBy: { id: undoing } }, 'but without the rule')
  await users.update(db, user.email, { where: { componentName: { equals: 'Hidden' } } })
  t.same((await send(one, { id: own })).data.bulkChange.revisions.nodes, [], 'after a change of the rule')
})
