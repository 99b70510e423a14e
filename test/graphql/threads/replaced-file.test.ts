// Runs on SQLite only.
/** A thread opens the very file that the service has opened. */
import { rename, writeFile } from 'node:fs/promises'
import { t } from 'tap'
import { isUnavailable } from '../../../db/dialects/faults.ts'
import { threadsOn } from './support.ts'

t.test(
  'a thread refuses a file that has replaced that of the service, before it opens it and after',
  async t => {
    const { url, run } = await threadsOn(t, [{ id: 1 }])
    const path = url.slice('sqlite:'.length)
    const replace = async () => {
      await rename(path, `${path}.away`)
      await writeFile(path, '')
    }
    // With a snapshot, which always checks the file. A single statement relies on a check of the last 0.1 s.
    const list = () => run('{ a: product(id: 1) { id } b: product(id: 1) { id } }')
    const refuses = async () => {
      const error = await list().catch(error => error)
      t.match(error, { code: 'SQLITE_READONLY_DBMOVED', stack: /sqlite\/handle/ })
      t.ok(isUnavailable(error))
    }
    await replace()
    await refuses()
    await rename(`${path}.away`, path)
    t.equal(await list(), '{"data":{"a":{"id":1},"b":{"id":1}}}')
    await replace()
    await refuses()
    await rename(`${path}.away`, path)
    t.equal(await list(), '{"data":{"a":{"id":1},"b":{"id":1}}}')
  }
)
