/** The table of pictures: how many small versions it keeps, and which. */
import { randomBytes } from 'node:crypto'
import { t } from 'tap'
import { noActor } from '../../../db/audit/record.ts'
import type { Db } from '../../../db/schema.ts'
import { database } from '../../../test/support/service/service.ts'
import { findRow, listUploads, removePicture, storeThumbnail, storeUpload, withMedia } from '../rows.ts'

const maxSize = 2 ** 20

const count = async (db: Db): Promise<number> =>
  (await withMedia(db).selectFrom('product_media').select('source').where('small', '=', 1).execute()).length

t.test('the newest small versions are kept, and tiny ones count as their rows do', async t => {
  const db = await database(t)
  const upload = {
    source: 'ipfs://upload',
    type: 'image/png',
    bytes: randomBytes(2 * maxSize),
    actor: noActor
  }
  await storeUpload(db, upload, 2 * maxSize)
  for (let at = 0; at < 260; at++)
    await storeThumbnail(db, `https://a.example/${at}`, randomBytes(40), maxSize)
  t.equal(await count(db), 256)
  for (const at of [0, 3]) t.equal(await findRow(db, `https://a.example/${at}`, 'small'), undefined)
  for (const at of [4, 259])
    t.match(await findRow(db, `https://a.example/${at}`, 'small'), { hash: /^[0-9a-f]{64}$/ })
  await storeThumbnail(db, 'https://a.example/large', randomBytes(maxSize / 2), maxSize)
  t.equal(await count(db), 129)
  const larger = randomBytes(2 * maxSize)
  for (let time = 0; time < 2; time++) await storeThumbnail(db, 'https://a.example/larger', larger, maxSize)
  t.equal(await count(db), 1, 'the newest one is kept in any case')
  t.same(await listUploads(db), [{ source: 'ipfs://upload', type: 'image/png' }], 'uploads are never deleted')
})

t.test('the limit holds if many are kept at the same time', async t => {
  const db = await database(t)
  const keep = (at: number) => storeThumbnail(db, `https://a.example/${at}`, randomBytes(2 ** 16), maxSize)
  const hashes = await Promise.all(Array.from({ length: 100 }, (_, at) => keep(at)))
  t.equal(new Set(hashes).size, 100)
  t.ok((await count(db)) <= 16)
})

t.test('uploads have a limit together, and can be removed', async t => {
  const db = await database(t)
  const upload = (at: number) => ({
    source: `ipfs://${at}`,
    type: 'image/png',
    bytes: randomBytes(1000),
    actor: noActor
  })
  const first = upload(1)
  await storeUpload(db, first, 2000)
  await storeUpload(db, upload(2), 2000)
  await storeUpload(db, first, 2000)
  const refused = await storeUpload(db, upload(3), 2000).catch(error => error)
  t.match(refused, { statusCode: 507 })
  t.equal(await removePicture(db, 'ipfs://3', noActor), undefined)
  t.same(await removePicture(db, 'ipfs://2', noActor), [])
  const again = { ...first, source: 'https://a.example/1' }
  await storeUpload(db, again, 2000)
  t.same(await removePicture(db, again.source, noActor), ['ipfs://1'])
  await storeThumbnail(db, 'https://a.example/2', randomBytes(40), maxSize)
  t.same(await removePicture(db, 'https://a.example/2', noActor), [], 'also a small version alone')
  await storeUpload(db, upload(3), 2000)
  t.match(await listUploads(db), [{ source: 'ipfs://1' }, { source: 'ipfs://3' }])
})
