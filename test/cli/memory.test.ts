/** Only `serve` changes how V8 manages its memory: other commands end soon. None loads Node's `fetch`, 15 MiB. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { t } from 'tap'
import { databaseUrl } from '../database.ts'
import { command, NODE_COMPILE_CACHE, withoutRunner } from '../process.ts'

/** At its end the process tells on stderr whether a flag was set that gives new contexts a `gc`, and what it loaded. */
const tell = `data:text/javascript,${encodeURIComponent(`
import { runInNewContext } from 'node:vm'
process.once('exit', () => {
  const fetch = process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')
  console.error('gc: ' + runInNewContext('typeof gc') + ', fetch: ' + fetch)
})`)}`

t.test('serve sets the flags of V8, other commands leave them alone', async t => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE, PORT: '0', DATABASE_URL: await databaseUrl(t) }
  const [node = '', ...rest] = command
  for (const [words, expected] of [
    [['migrate'], 'undefined'],
    [['serve', '--help'], 'undefined'],
    [['serve'], 'function']
  ] as const) {
    const child = spawn('env', [...withoutRunner, node, '--import', tell, ...rest, ...words], {
      env
    })
    t.teardown(() => child.kill('SIGKILL'))
    const told = text(child.stderr)
    child.stdout.setEncoding('utf8').on('data', chunk => {
      if (chunk.includes('Server listening')) child.kill('SIGTERM')
    })
    t.same(await once(child, 'exit'), [0, null])
    t.match(await told, new RegExp(`gc: ${expected}, fetch: false\n$`), words.join(' '))
  }
})
