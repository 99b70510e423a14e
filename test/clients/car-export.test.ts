// Runs on SQLite only, in test:all only.
/** Uploaded pictures, exported as a CAR file that IPFS's own library reads. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CarReader } from '@ipld/car'
import { t } from 'tap'
import { copyDatabase } from '../../db/copy.ts'
import { openDatabase } from '../../features/database.ts'
import { tables } from '../../features/load.ts'
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
