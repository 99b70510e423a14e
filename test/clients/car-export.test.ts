// Runs on SQLite only, in test:all only.
/** Uploaded pictures, exported as a CAR file that IPFS's own library reads. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CarReader } from '@ipld/car'
import { t } from 'tap'
import { copyDatabase } from '../../cli/database/copy-rows.ts'
import { noActor } from '../../db/audit/record.ts'
import { openDatabase } from '../../features/database.ts'
import { tables } from '../../features/load.ts'
import { deletePicture, storeOriginal } from '../../features/media/rows.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { accessToken } from '../support/http/http.ts'
import { picture } from '../support/pictures.ts'
import { run } from '../support/service/process.ts'
import { service } from '../support/service/service.ts'

t.test('uploads are exported as a CAR file, and copied with the store', async t => {
  const { db, url } = await service(t)
  const token = await accessToken(url)
  const contents = [await picture(5, 20), await picture(6, 700)]
  const cids: string[] = []
  for (const body of contents) {
    const response = await fetch(`${url}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
      body: body as BodyInit
    })
    cids.push(((await response.json()) as { cid: string }).cid)
  }
  const other = await migratedUrl(t)
  const target = await openDatabase(other)
  await copyDatabase(db, target, tables, () => {})
  await target.destroy()
  const file = join(await directory(t), 'pictures.car')
  const { code, stderr } = await run(t, ['media', 'export', '--car', file], { DATABASE_URL: other })
  t.match({ code, stderr }, { code: 0, stderr: /Exported 2 pictures\./ })
  const car = await CarReader.fromBytes(await readFile(file))
  const found = new Map<string, Uint8Array>()
  for await (const { cid, bytes } of car.blocks()) found.set(String(cid), bytes)
  for (const cid of cids) t.ok(found.has(cid))
  t.equal(Buffer.compare(found.get(cids[0] as string) as Uint8Array, contents[0] as Buffer), 0)
  t.match(await run(t, ['media', 'export', '--car', file], { DATABASE_URL: await migratedUrl(t) }), {
    code: 1,
    stderr: /no picture has been uploaded/
  })
  t.equal((await run(t, ['media', 'export'], { DATABASE_URL: other })).code, 2)
})

t.test('an export during which a picture is deleted fails', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  for (const seed of [1, 2, 3, 4]) {
    const original = { key: `https://images.example.com/${seed}.png`, type: 'image/png', actor: noActor }
    await storeOriginal(db, { ...original, bytes: Buffer.alloc(1_000_000, seed) }, 2 ** 32)
  }
  const file = join(await directory(t), 'pipe')
  execFileSync('mkfifo', [file])
  const exported = run(t, ['media', 'export', '--car', file], { DATABASE_URL: url })
  const pipe = createReadStream(file)
  // The pipe holds less than the first picture.
  await once(pipe, 'readable')
  await deletePicture(db, 'https://images.example.com/4.png', noActor)
  await db.destroy()
  pipe.resume()
  t.match(await exported, { code: 1, stderr: /4\.png was deleted meanwhile: export again/ })
})
