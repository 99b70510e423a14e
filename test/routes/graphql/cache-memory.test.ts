// Runs on SQLite only, alone, in test:all only.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { t } from 'tap'
import { accessToken } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

/** Bytes of buffers that are in use. */
function countBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', flavor: 'last-resort' })
  return process.memoryUsage().arrayBuffers
}

t.test('a cached response holds no more than its own bytes in memory', async t => {
  const { app, db, url } = await service(t)
  await addTemplates(db, { data: JSON.stringify({ name: 'x'.repeat(4000) }) })
  const headers = { authorization: `Bearer ${await accessToken(url)}` }
  const ask = (query: string) => app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } })
  const cached = 300
  const before = countBytes()
  for (let index = 0; index < cached; index++) {
    for (const _ of ['seen', 'cached']) await ask(`{ product(id: ${index}) { name } }`)
    // Others come once, and their responses lie between those that are cached.
    for (const other of [1, 2, 3, 4]) await ask(`{ allProducts { data } } # ${index} ${other}`)
  }
  const bytes = (countBytes() - before) / cached
  t.ok(bytes < 4096, `${Math.round(bytes)} bytes each`)
})

t.test('a response that is not cached any more takes no memory', async t => {
  const { app, db, url } = await service(t, { graphqlResponseCacheSize: 200_000 })
  await addTemplates(db, { data: JSON.stringify({ name: 'x'.repeat(40_000) }) })
  const headers = { authorization: `Bearer ${await accessToken(url)}` }
  const before = countBytes()
  for (let index = 0; index < 100; index++)
    for (const _ of ['seen', 'cached']) {
      const payload = { query: `{ product(id: 0) { data } } # ${index}` }
      t.equal((await app.inject({ method: 'POST', url: '/graphql', headers, payload })).statusCode, 200)
    }
  const bytes = countBytes() - before
  t.ok(bytes < 1_000_000, `${bytes} bytes`)
})
