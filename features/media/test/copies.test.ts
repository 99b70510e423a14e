// Runs in test:all only.
/** Pictures of hosts that are not listed are fetched on request, by publishers only, and kept. */
import { randomBytes } from 'node:crypto'
import { type Test, t } from 'tap'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { picture, source } from '../../../test/support/pictures.ts'
import { addUser, service } from '../../../test/support/service/service.ts'
import { makeContentId } from '../ipfs.ts'
import { withMedia } from '../rows.ts'

async function start(t: Test, options: Parameters<typeof service>[1] = {}) {
  const { url, db } = await service(t, { privateNetworks: '127.0.0.0/8', ...options })
  const authorization = `Bearer ${await accessToken(url)}`
  const send = (path: string, link: string, method = 'GET', headers = { authorization }) =>
    fetch(`${url}/media${path}?link=${encodeURIComponent(link)}`, { method, headers })
  return {
    url,
    db,
    show: (link: string) => send('', link),
    keep: (link: string, headers?: { authorization: string }) => send('/copies', link, 'POST', headers)
  }
}

const readReason = ({ headers }: Response) => decodeURIComponent(headers.get('picture-problem') ?? '')

t.test('a picture that is not shown says why, and is shown when it has been fetched', async t => {
  const bytes = await picture(1, 30)
  const paths: unknown[] = []
  const host = await source(t, (request, response) => {
    paths.push(request.url)
    response.end(bytes)
  })
  const { db, show, keep } = await start(t)
  const link = `http://${host}/1.jpg`
  const missing = await show(link)
  t.match([missing.status, readReason(missing)], [204, `${host} is not allowed to be shown`])
  t.equal(missing.headers.get('picture-gone'), 'false')
  t.equal(readReason(await show('ipfs://bafyone')), 'the service has no IPFS gateway to fetch it from')
  t.equal(readReason(await show('a picture')), 'this is not the link of a picture')
  t.same(paths, [])

  const kept = await keep(link)
  t.match([kept.status, await kept.json()], [200, { cid: makeContentId(bytes), type: 'image/png' }])
  t.equal((await show(link)).headers.get('content-type'), 'image/webp')
  t.equal((await keep(link)).status, 200)
  t.same(paths, ['/1.jpg'], 'it is fetched once')
  const rows = await withMedia(db)
    .selectFrom('product_media')
    .select(['key', 'kind'])
    .orderBy('kind')
    .execute()
  t.same(rows, [
    { key: link, kind: 'original' },
    { key: link, kind: 'thumbnail' }
  ])
})

onlyOn('sqlite', 'what cannot be fetched is refused with the reason, and leaves nothing', async t => {
  const host = await source(t, (request, response) => {
    const bodies: Record<string, () => unknown> = {
      '/missing': () => response.writeHead(404).end(),
      '/page': () => response.setHeader('content-type', 'image/png').end('<html><body>'),
      '/large': () => response.end(Buffer.concat([Buffer.from('\x89PNG', 'latin1'), randomBytes(2 ** 24)])),
      '/away': () => response.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end(),
      '/file': () => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      '/closed': () => response.destroy()
    }
    bodies[request.url as string]?.()
  })
  const { db, show, keep } = await start(t)
  for (const [link, reason] of [
    [`http://${host}/missing`, 'the shop’s server says that there is no such picture'],
    [`http://${host}/page`, 'it is not a PNG, JPEG, GIF, WebP or AVIF picture'],
    [`http://${host}/large`, 'it is larger than 10 MiB'],
    [`http://${host}/away`, 'the address is not public'],
    [`http://${host}/file`, 'the source redirects to a host that is not listed'],
    [`http://${host}/closed`, 'the server could not be reached'],
    ['http://192.168.0.1/x.png', 'the address is not public'],
    ['http://[::ffff:10.0.0.1]/x.png', 'the address is not public'],
    ['http://nowhere.invalid/x.png', 'the server was not found'],
    ['http://ada:secret@example.com/x.png', 'this is not the link of a web page'],
    ['ipfs://bafyone', 'this is not the link of a web page'],
    ['file:///etc/passwd', 'this is not the link of a web page']
  ] as const) {
    const refused = await keep(link)
    t.match([refused.status, (await refused.json()).message], [422, reason], link)
  }
  t.same(await withMedia(db).selectFrom('product_media').select('key').execute(), [])
  const shown = await show(`http://${host}/missing`)
  t.match([shown.status, readReason(shown)], [204, /^the shop’s server says/], 'it is remembered')
  t.equal(shown.headers.get('picture-gone'), 'true')
})

onlyOn('sqlite', 'without an allowed network, no address of this machine is asked', async t => {
  let asked = 0
  const host = await source(t, (_request, response) => {
    asked++
    response.end()
  })
  const { keep } = await start(t, { privateNetworks: '' })
  const port = host.split(':')[1]
  for (const name of [host, `localhost:${port}`, `2130706433:${port}`, `0.0.0.0:${port}`, `[::1]:${port}`])
    t.equal((await keep(`http://${name}/x.png`)).status, 422, name)
  t.equal(asked, 0)
})

t.test('only publishers may have pictures fetched', async t => {
  let asked = 0
  const host = await source(t, (_request, response) => {
    asked++
    response.end()
  })
  const { url, db, keep } = await start(t)
  await addUser(db, { email: 'eve@example.com', role: 'editor' })
  const editor = await accessToken(url, { username: 'eve@example.com' })
  const reader = await accessToken(url, { scope: 'read' })
  for (const token of [editor, reader])
    t.equal((await keep(`http://${host}/x.png`, { authorization: `Bearer ${token}` })).status, 403)
  t.equal(asked, 0)
})
