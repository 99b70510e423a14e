// Runs on SQLite only.
/** The command that deletes pictures; the engine makes no difference. */
import { t } from 'tap'
import { noActor } from '../../../db/audit/record.ts'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { run } from '../../../test/support/service/process.ts'
import { openDatabase } from '../../database.ts'
import { listOriginals, storeOriginal } from '../rows.ts'

t.test('a picture is deleted by its content id or its link', async t => {
  const url = await migratedUrl(t)
  const env = { DATABASE_URL: url }
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  const link = 'https://images.example.com/1.png'
  for (const key of ['ipfs://bafkreione', link])
    await storeOriginal(db, { key, type: 'image/png', bytes: Buffer.from(key), actor: noActor }, 2 ** 32)
  t.match(await run(t, ['media', 'delete', 'bafkreione'], env), { code: 0, stderr: /Deleted .*bafkreione/ })
  t.same(await listOriginals(db), [{ key: link, type: 'image/png' }])
  t.equal((await run(t, ['media', 'delete', link], env)).code, 0)
  t.same(await listOriginals(db), [])
  t.match(await run(t, ['media', 'delete', link], env), { code: 1, stderr: /there is no picture/ })
})
