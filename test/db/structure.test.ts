import { t } from 'tap'
import { readDocument } from '../../docs/generate.ts'
import { formatStructure, structureFile } from '../../docs/structure.ts'
import { database } from '../support/service/service.ts'

t.test('db/structure/ shows the structure of a new store; `npm run docs` writes it', async t => {
  const db = await database(t)
  t.equal(await formatStructure(db), readDocument(structureFile(db)))
})
