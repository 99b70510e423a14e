// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** No command loads Node's `fetch`: 15 MiB that it does not need. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { t } from 'tap'
import { databaseUrl } from '../support/database/database.ts'
import { NODE_COMPILE_CACHE } from '../support/environment.ts'
import { command, withoutRunner } from '../support/service/process.ts'

/** At its end the process tells on stderr whether it has loaded it. */
const tell = `data:text/javascript,${encodeURIComponent(`
process.once('exit', () => {
  const fetch = process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')
  console.error('fetch: ' + fetch)
})`)}`

t.test('neither serve nor another command loads fetch', async t => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE, PORT: '0', DATABASE_URL: await databaseUrl(t) }
  const [node = '', ...rest] = command
  for (const words of [['migrate'], ['serve', '--help'], ['serve']]) {
    const child = spawn('env', [...withoutRunner, node, '--import', tell, ...rest, ...words], {
      env
    })
    t.teardown(() => child.kill('SIGKILL'))
    const told = text(child.stderr)
    child.stdout.setEncoding('utf8').on('data', chunk => {
      if (chunk.includes('Server listening')) child.kill('SIGTERM')
    })
    t.same(await once(child, 'exit'), [0, null])
    t.match(await told, /fetch: false\n$/, words.join(' '))
  }
})
