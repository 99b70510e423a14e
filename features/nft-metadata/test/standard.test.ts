// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** What the standard of OpenSea knows survives import, endpoint, export and import again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import { productTemplates } from '../../../index.ts'
import { emptyStore } from '../../../test/cli/import-files.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { host } from '../../../test/support/service/service.ts'

const known = {
  name: 'Night Kite',
  description: 'A kite that glows.',
  image: 'ipfs://bafykite',
  external_url: 'https://kites.example/3',
  animation_url: 'ipfs://bafykite/flight.mp4',
  image_data: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  youtube_url: 'https://video.example/kite',
  background_color: 'ffcc00',
  attributes: [
    { trait_type: 'Frame', value: 'Bamboo' },
    { trait_type: 'Wind', value: 3, max_value: 12 },
    { trait_type: 'First flight', display_type: 'date', value: 1_700_000_000 },
    { trait_type: 'Lift', display_type: 'boost_number', value: 25.5, max_value: 100 },
    { trait_type: 'Speed', display_type: 'boost_percentage', value: 15 },
    { trait_type: 'Series', display_type: 'number', value: 7 },
    { value: 'Playful' }
  ]
}
const unknown = { edition: 4, compiler: 'a tool', dna: '', tags: [], compiled: null }

t.test('metadata keeps the keys of the standard, and names the others', async t => {
  const store = await emptyStore(t)
  const folder = store.path('kites')
  await mkdir(folder)
  const attributes = [...known.attributes, { trait_type: 'Odd', value: { a: 1 } }, { value: '' }]
  const noted = { ...known, attributes: attributes.with(0, { ...attributes[0], note: 'x' } as never) }
  await writeFile(join(folder, '3.json'), JSON.stringify({ ...noted, ...unknown }))
  await writeFile(join(folder, '4.json'), JSON.stringify({ ...known, edition: 5 }))
  const imported = await runInside(t, ['import', folder, '--json'], store.env)
  const names = 'edition (2), compiler (1), attributes.note (1), attributes (1)'
  t.same(JSON.parse(imported.stdout).notes, [`${folder}: stored, but not part of metadata: ${names}`])

  const app = host(t)
  await app.register(productTemplates, { database: store.env.DATABASE_URL })
  for (const id of [3, 4]) t.same((await app.inject(`/metadata/${id}.json`)).json(), known)
  t.match((await app.inject('/metadata/3.json?format=erc1155')).json(), {
    name: 'Night Kite',
    properties: { Lift: 25.5, animation_url: known.animation_url, background_color: 'ffcc00' }
  })

  const out = store.path('out')
  const exported = await runInside(t, ['export', out, '--format', 'opensea'], store.env)
  t.match(exported.stderr, `left out, because metadata has no such keys: ${names}\n`)
  const again = await runInside(
    t,
    ['export', store.path('again'), '--format', 'opensea', '--json'],
    store.env
  )
  t.same(JSON.parse(again.stdout), {
    exported: 2,
    notPublic: 0,
    notes: [`left out, because metadata has no such keys: ${names}`]
  })
  for (const id of [3, 4]) t.same(JSON.parse(await readFile(join(out, `${id}.json`), 'utf8')), known)

  const second = await emptyStore(t)
  t.same(JSON.parse((await runInside(t, ['import', out, '--json'], second.env)).stdout).notes, [])
  for (const { data } of await second.templates()) t.same(JSON.parse(data), known)
})
