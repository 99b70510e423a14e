/** The table of pictures: which thumbnails it keeps. */
import { randomBytes } from 'node:crypto'
import { t } from 'tap'
import { listEvents } from '../../../db/audit/read.ts'
import { noActor } from '../../../db/audit/record.ts'
import type { Db } from '../../../db/schema.ts'
import { database } from '../../../test/support/service/service.ts'
import {
  deletePicture,
  findPicture,
  listOriginals,
  storeOriginal,
  storeThumbnail,
  withMedia
} from '../rows.ts'

const maxSize = 2 ** 20

const count = async (db: Db): Promise<number> =>
  (await withMedia(db).selectFrom('product_media').select('key').where('kind', '=', 'thumbnail').execute())
    .length

t.test('the newest thumbnails are kept, and a tiny one counts as much as its row', async t => {
  const db = await database(t)
  const upload = {
    key: 'ipfs://upload',
    type: 'image/png',
    bytes: randomBytes(2 * maxSize),
    actor: noActor
  }
  await storeOriginal(db, upload, 2 * maxSize)
  for (let at = 0; at < 260; at++)
    await storeThumbnail(db, `https://a.example/${at}`, randomBytes(40), maxSize)
  t.equal(await count(db), 256)
  for (const at of [0, 3]) t.equal(await findPicture(db, `https://a.example/${at}`, 'thumbnail'), undefined)
  for (const at of [4, 259])
    t.match(await findPicture(db, `https://a.example/${at}`, 'thumbnail'), { hash: /^[0-9a-f]{64}$/ })
  await storeThumbnail(db, 'https://a.example/large', randomBytes(maxSize / 2), maxSize)
  t.equal(await count(db), 129)
  const larger = randomBytes(2 * maxSize)
  for (let time = 0; time < 2; time++) await storeThumbnail(db, 'https://a.example/larger', larger, maxSize)
  t.equal(await count(db), 1, 'the newest one is kept in any case')
  t.same(
    await listOriginals(db),
    [{ key: 'ipfs://upload', type: 'image/png' }],
    'originals are never deleted'
  )
})

t.test('the limit holds if many thumbnails are stored at the same time', async t => {
  const db = await database(t)
  const keep = (at: number) => storeThumbnail(db, `https://a.example/${at}`, randomBytes(2 ** 16), maxSize)
  const hashes = await Promise.all(Array.from({ length: 100 }, (_, at) => keep(at)))
  t.equal(new Set(hashes).size, 100)
  t.ok((await count(db)) <= 16)
})

t.test('an original that is stored several times at once is recorded once', async t => {
  const db = await database(t)
  const upload = { key: 'ipfs://a', type: 'image/png', bytes: Buffer.alloc(2 ** 16), actor: noActor }
  const hashes = await Promise.all(Array.from({ length: 8 }, () => storeOriginal(db, upload, maxSize)))
  t.equal(new Set(hashes).size, 1)
  t.equal((await listEvents(db, { target: 'ipfs://a' }, 10)).length, 1)
})

t.test('originals have a limit in total, and can be deleted', async t => {
  const db = await database(t)
  const upload = (at: number) => ({
    key: `ipfs://${at}`,
    type: 'image/png',
    bytes: randomBytes(1000),
    actor: noActor
  })
  const first = upload(1)
  await storeOriginal(db, first, 2000)
  await storeOriginal(db, upload(2), 2000)
  await storeOriginal(db, first, 2000)
  const refused = await storeOriginal(db, upload(3), 2000).catch(error => error)
  t.match(refused, { statusCode: 507 })
  t.equal(await deletePicture(db, 'ipfs://3', noActor), undefined)
  t.same(await deletePicture(db, 'ipfs://2', noActor), [])
  const again = { ...first, key: 'https://a.example/1' }
  await storeOriginal(db, again, 2000)
  t.same(await deletePicture(db, again.key, noActor), ['ipfs://1'])
  await storeThumbnail(db, 'https://a.example/2', randomBytes(40), maxSize)
  t.same(await deletePicture(db, 'https://a.example/2', noActor), [], 'also a thumbnail alone')
  await storeOriginal(db, upload(3), 2000)
  t.match(await listOriginals(db), [{ key: 'ipfs://1' }, { key: 'ipfs://3' }])
})
