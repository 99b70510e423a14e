// Runs in test:all only.
import { t } from 'tap'
import { findStoredClient, updateStoredClient } from '../../db/accounts/clients.ts'
import { findUserByEmail } from '../../db/accounts/users.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { demo } from '../../seeds/credentials.ts'
import { generateLoadTemplates } from '../../seeds/load.ts'
import { demoTemplates, seedDemo, seedLoad } from '../../seeds/seed.ts'
import { addClient, addTemplates, cheapHash, database, storedTemplates } from '../support/service/service.ts'

interface Entry {
  trait_type: string
  value?: unknown
}
const documents = demoTemplates.map(({ data }) => JSON.parse(data))
const entries: Entry[] = documents.flatMap(document => document.attributes)
const values = (trait: string) =>
  entries.filter(entry => entry.trait_type === trait).map(({ value }) => value)

const knownTraits = [
  ...['ProductType', 'Video', 'RecyclingManual', 'MadeIn', 'Warning', 'ProductName', 'ProductUrl', 'Music'],
  ...[
    'FeaturesArray',
    'SecretMessage',
    'CharityDonationRecipient',
    'CharityDonationAmount',
    'CharityMessage'
  ],
  ...[
    'AuthenticMessage',
    'Notify3rdParty',
    'IPFSBrandLogo',
    'IPFSCertification',
    'UnitsProduced',
    'EmailOptional'
  ],
  ...[1, 2, 3, 4, 5, 6].map(number => `IPFSproductPhoto${number}`)
]

t.test('the demo templates show every irregularity of real documents', async t => {
  const ids = demoTemplates.map(({ id }) => id)
  t.ok(demoTemplates.length >= 12)
  t.ok(ids.includes(0), 'id 0')
  t.ok(Math.max(...ids) > ids.length, 'gaps')
  t.same(
    new Set(documents.map(({ productId }) => (productId === '' ? 'empty' : typeof productId))),
    new Set(['number', 'string', 'empty'])
  )
  t.ok(
    documents.some(({ component }) => component === ''),
    'an empty component'
  )
  t.same(new Set(demoTemplates.map(({ componentName }) => componentName)).size, 3, 'a further component name')
  t.ok(documents.some(({ external_url }) => external_url === ''))
  t.ok(
    documents.some(({ description }) => description.includes('\n')),
    'line breaks'
  )
  t.ok(
    demoTemplates.some(({ data }) => data !== JSON.stringify(JSON.parse(data)) && data.includes('\n')),
    'white space'
  )
  t.ok(
    entries.some(entry => !('value' in entry)),
    'an absent value'
  )
  t.same(new Set(values('EmailOptional').map(value => typeof value)), new Set(['boolean', 'undefined']))
  t.same(
    new Set(values('UnitsProduced').map(value => (value === '' ? 'empty' : typeof value))),
    new Set(['number', 'string', 'empty'])
  )
  t.ok(
    values('FeaturesArray').some(value => Array.isArray(value) && value.length === 0),
    'an empty array'
  )
  t.ok(values('FeaturesArray').some(value => Array.isArray(value) && value.length > 0))
  t.ok(
    entries.some(
      ({ trait_type, value }) => trait_type.startsWith('IPFS') && String(value).endsWith('/ipfs/')
    ),
    'no content id'
  )
  t.same(
    new Set(entries.map(({ trait_type }) => trait_type)),
    new Set(knownTraits),
    'every trait, and no other'
  )
  const orders = documents.map(({ attributes }) =>
    attributes.findIndex((entry: Entry) => entry.trait_type === 'MadeIn')
  )
  t.ok(new Set(orders).size > 3, 'traits in varying order')
  for (const [index, { componentName, maxItems, timeCreated, timeModified }] of demoTemplates.entries()) {
    t.ok(maxItems > 0 && timeCreated <= timeModified)
    t.match(timeModified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    if (componentName !== 'TrackingRecord') continue
    const traits = documents[index].attributes.map(({ trait_type }: Entry) => trait_type)
    t.same(traits.sort(), ['ProductType', 'UnitsProduced'])
  }
  t.notSame(
    [...ids].sort((a, b) => a - b),
    demoTemplates.toSorted((a, b) => (a.timeModified < b.timeModified ? 1 : -1)).map(({ id }) => id)
  )
})

t.test('the demo accounts: a full profile, an empty one, one client', async t => {
  const db = await database(t)
  t.ok(await seedDemo(db, cheapHash))
  const full = await findUserByEmail(db, demo.email)
  t.equal(full?.wallets.length, 2)
  t.ok(full?.firstName && full.lastName && full.country && full.mobile)
  t.match(await findUserByEmail(db, 'plain@example.com'), {
    firstName: '',
    lastName: '',
    country: '',
    mobile: '',
    wallets: []
  })
  t.match(await findStoredClient(db, demo.clientId), {
    scopes: ['read', 'write'],
    grantTypes: ['password', 'client_credentials']
  })
  t.equal((await findDemoCredentialRemedies(db)).length, 3)
})

t.test('a database that is not empty is left unchanged', async t => {
  const db = await database(t)
  await addTemplates(db, {})
  t.notOk(await seedDemo(db, cheapHash))
  t.notOk(await seedLoad(db, cheapHash, 10, () => {}))
  t.equal((await storedTemplates(db)).length, 1)
  t.equal((await findDemoCredentialRemedies(db)).length, 0)
})

t.test('of two concurrent seeds, one adds the data', async t => {
  const db = await database(t)
  t.same((await Promise.all([seedDemo(db, cheapHash), seedDemo(db, cheapHash)])).sort(), [false, true])
  t.equal((await storedTemplates(db)).length, demoTemplates.length)
})

t.test('load data is deterministic, about 3 KB per template, and follows the contract', async t => {
  const templates = [...generateLoadTemplates(1000)]
  t.same(templates, [...generateLoadTemplates(1000)])
  const mean = templates.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0) / templates.length
  t.ok(mean > 2900 && mean < 3200, `${mean} bytes`)
  t.equal(new Set(templates.map(({ id }) => id)).size, 1000)
  for (const { data, componentName, timeCreated, timeModified } of templates) {
    const document = JSON.parse(data)
    if (componentName === 'TrackingRecord' && document.attributes.length !== 2) t.fail(data)
    if (!document.attributes.every((entry: Entry) => knownTraits.includes(entry.trait_type))) t.fail(data)
    if (timeCreated > timeModified) t.fail(timeModified)
  }
})

t.test('seeding load data reports progress and is complete', async t => {
  const db = await database(t)
  const told: number[] = []
  t.ok(await seedLoad(db, cheapHash, 250, inserted => told.push(inserted)))
  t.same(told, [100, 200, 250])
  t.equal((await storedTemplates(db)).length, 250)
  const revisions = await db.selectFrom('product_revision').select(['action', 'hash']).execute()
  t.ok(revisions.every(({ action, hash }) => action === 'CREATE' && hash !== null))
  t.equal(revisions.length, 250)
  t.equal((await findDemoCredentialRemedies(db)).length, 3)
})

t.test('a database with nothing but the client of the explorer counts as empty', async t => {
  const db = await database(t)
  await addClient(db, { id: 'explorer', isPublic: true })
  t.notOk(await seedDemo(db, cheapHash), 'a client of others')
  await updateStoredClient(db, 'explorer', { firstParty: true })
  t.ok(await seedDemo(db, cheapHash))
})
