// Runs on SQLite only, in test:all only.
/** Pictures are stored and read by the client, again if the service was busy. */
import { t } from 'tap'
import { createClient, ResponseError } from '../../packages/client/index.ts'
import { accessToken } from '../support/http/http.ts'
import { picture } from '../support/pictures.ts'
import { service } from '../support/service/service.ts'
import { TestClock } from './clock.ts'

t.test('a busy service is asked again when it says so, and another refusal is an error', async t => {
  const { url } = await service(t)
  const clock = new TestClock()
  const busy: Response[] = []
  const client = createClient({
    url,
    auth: await accessToken(url),
    clock,
    fetch: async (...request) => busy.shift() ?? fetch(...request)
  })
  const isBusy = () => void busy.push(new Response('', { status: 503, headers: { 'retry-after': '3' } }))
  const bytes = await picture(1, 700)

  isBusy()
  const stored = await client.uploadPicture(new Blob([bytes as BlobPart]))
  t.match(stored, { type: 'image/png', link: `ipfs://${stored.cid}`, hash: /^[0-9a-f]{64}$/ })
  isBusy()
  t.equal((await client.picture(stored.link))?.type, 'image/webp')
  t.same(clock.pauses, [3125, 3125])

  t.equal(await client.picture('ipfs://bafymissing'), undefined)
  await t.rejects(client.uploadPicture(new Blob(['x'])), {
    constructor: ResponseError,
    status: 415,
    message: /PNG, JPEG, GIF, WebP or AVIF/
  })
  t.equal(clock.pauses.length, 2)
  const signal = AbortSignal.abort(new Error('enough'))
  await t.rejects(client.uploadPicture(new Blob([]), { signal }), { message: 'enough' })
})
