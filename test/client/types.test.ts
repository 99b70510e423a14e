// Runs on SQLite only, in test:all only.
/** The types of the client: what must compile, and what must not. */
import { t } from 'tap'
import { compile } from './compile.ts'

t.test('wrong fields, arguments and variables are errors; the types need nothing of Node.js', async t => {
  await t.resolves(compile('test/client/types'))
})
