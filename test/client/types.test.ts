/** The types of the client in a page: what must compile, and what must not. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { t } from 'tap'
import { withoutRunner } from '../process.ts'

const root = new URL('../../', import.meta.url).pathname

/** Runs the compiler; rejects with what it prints. */
const compile = (project: string) =>
  promisify(execFile)('env', [...withoutRunner, `${root}node_modules/.bin/tsc`, '--noEmit', '-p', project], {
    cwd: root
  }).catch(({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)))

t.test('wrong fields, arguments and variables are errors; the types need nothing of Node.js', async t => {
  await t.resolves(compile('test/client/types'))
})
