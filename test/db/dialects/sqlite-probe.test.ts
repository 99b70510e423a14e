// Runs on SQLite only.
/** The file that shows whether the disk of a database has space. */
import { readdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { t } from 'tap'
import { checkSpace } from '../../../db/dialects/sqlite/open.ts'
import { sqliteUrl } from '../../support/database/database.ts'

t.test('probes of one database do not disturb each other', async t => {
  const file = (await sqliteUrl(t)).slice('sqlite:'.length)
  await writeFile(file, '')
  const probes = await Promise.allSettled(Array.from({ length: 100 }, () => checkSpace(file)))
  t.same(
    probes.filter(({ status }) => status === 'rejected'),
    []
  )
  t.same(await readdir(dirname(file)), ['templates.db'])
})
