// Runs on SQLite only.
import { t } from 'tap'
import { hashKey } from '../../../db/dialects/sqlite/index-queries.ts'

t.test('a key has the number that stored indexes have for it', async t => {
  t.equal(hashKey('SPortugal'), 7130615096808528854n)
  t.equal(hashKey('+["é"]'), 992446926152725012n)
})
