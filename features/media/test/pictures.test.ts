// Runs in test:all only.
/** Pictures are fetched from listed sources, made into thumbnails, kept, and sent to those who may read. */
import sharp from 'sharp'
import { type Test, t } from 'tap'
import { endTokens } from '../../../db/accounts/users.ts'
import { productTemplates } from '../../../index.ts'
import { users } from '../../../store.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { picture, source } from '../../../test/support/pictures.ts'
import {
  addClient,
  addUser,
  cheapHash,
  database,
  host,
  type Service,
  service,
  user
} from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { withMedia } from '../rows.ts'

const loopback = { privateNetworks: '127.0.0.0/8' }

async function start(t: Test, options: Parameters<typeof service>[1]) {
  const found = await service(t, options)
  const token = await accessToken(found.url)
  return { ...found, ...asker(found, token) }
}

function asker({ url }: Service, token: string) {
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  return {
    get,
    /** Asks for the picture behind a link. */
    show: (link: string, init?: RequestInit) => get(`/media?link=${encodeURIComponent(link)}`, init)
  }
}

t.test('a picture of a listed source is shown as a thumbnail, and fetched once', async t => {
  const requests: string[] = []
  const bytes = await picture(1)
  const host = await source(t, (request, response) => {
    requests.push(request.url as string)
    response.setHeader('content-type', 'text/html')
    response.end(bytes)
  })
  const { url, show, get } = await start(t, {
    imageSources: `http://${host}/ipfs other.example`,
    ...loopback
  })
  const links = ['ipfs://bafyone', '{ipfs_url}/bafyone', 'https://gateway.example/ipfs/bafyone']
  const responses = await Promise.all([...links, ...links].map(link => show(link)))
  const urls = new Set(responses.map(response => response.url))
  t.equal(urls.size, 1, 'everybody gets the same address')
  t.same(requests, ['/ipfs/bafyone'])
  const [response] = responses
  t.match([...urls][0], /\/media\/[0-9a-f]{64}$/)
  t.equal(response?.headers.get('content-type'), 'image/webp')
  t.equal(response?.headers.get('cache-control'), 'private, max-age=31536000, immutable')
  t.equal(response?.headers.get('x-content-type-options'), 'nosniff')
  t.match(await sharp(Buffer.from((await response?.arrayBuffer()) as ArrayBuffer)).metadata(), {
    format: 'webp',
    width: 640,
    height: 640
  })
  t.equal((await show(`http://${host}/own.png?x`)).headers.get('content-type'), 'image/webp')
  t.equal((await fetch(`${url}/media?link=ipfs://bafyone`)).status, 401)
  t.equal((await fetch([...urls][0] as string)).status, 401)
  t.equal((await get('/media')).status, 400)
  t.equal((await get(`/media?link=${'x'.repeat(1001)}`)).status, 400)
  requests.length = 0
  t.equal((await show(`http://${host}/é\0.png`)).status, 200)
  t.equal((await show(`http://${host}/%C3%A9%00.png`)).status, 200)
  t.same(requests, ['/%C3%A9%00.png'], 'the same address, in any spelling')
  t.equal((await show('ipfs://bafy?\0')).status, 200)
  // Too long for the key of an index, even compressed.
  const long = Array.from({ length: 950 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)))
  t.equal((await show(`http://${host}/${long.join('')}`)).status, 204)
  for (const hash of ['0'.repeat(64), 'x', '..%2fx']) t.equal((await get(`/media/${hash}`)).status, 404)
})

onlyOn('sqlite', 'a picture of a source that breaks a rule is not shown', async t => {
  const cut: (() => void)[] = []
  const bytes = await picture(2, 10)
  const elsewhere = await source(t, (_request, response) => response.end(bytes))
  const host = await source(t, (request, response) => {
    const redirect = (location: string) => response.writeHead(302, { location }).end()
    const bodies: Record<string, () => unknown> = {
      '/elsewhere': () => redirect(`http://${elsewhere}/`),
      '/by-name': () => redirect(`http://localhost:${elsewhere.split(':')[1]}/`),
      '/loop': () => redirect('/loop'),
      '/file': () => redirect('file:///etc/passwd'),
      '/here': () => redirect('/picture'),
      '/picture': () => response.end(bytes),
      '/svg': () =>
        response
          .setHeader('content-type', 'image/png')
          .end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      '/svg-as-avif': () =>
        response.end('<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      '/html': () => response.setHeader('content-type', 'image/png').end('<html>'),
      '/damaged': () => response.end(bytes.subarray(0, 40)),
      '/empty': () => response.end(),
      '/error': () => response.writeHead(500).end(bytes),
      '/endless': () => {
        const part = Buffer.alloc(2 ** 20)
        const more = () => {
          while (!response.destroyed && response.write(part));
        }
        response.on('drain', more).on('close', () => cut.push(more))
        more()
      },
      '/cut': () =>
        response.writeHead(200, { 'content-length': 1000 }).write(bytes, () => response.destroy()),
      '/switch': () => response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
    }
    bodies[request.url as string]?.()
  })
  const { show } = await start(t, { imageSources: host, ...loopback })
  t.equal((await show(`http://${host}/here`)).status, 200)
  for (const path of [
    'elsewhere',
    'by-name',
    'loop',
    'file',
    'svg',
    'svg-as-avif',
    'html',
    'damaged',
    'empty',
    'error',
    'endless',
    'cut',
    'switch'
  ])
    t.equal((await show(`http://${host}/${path}`)).status, 204, path)
  t.equal(cut.length, 1, 'an endless picture is cut')
  for (const link of [
    `http://${elsewhere}/`,
    'ipfs://bafyone',
    'file:///etc/passwd',
    'data:image/png,x',
    '',
    'x'
  ])
    t.equal((await show(link)).status, 204, link)
})

onlyOn('sqlite', 'a listed host may not be in a network that is not public', async t => {
  let requests = 0
  const host = await source(t, (_request, response) => {
    requests++
    response.end('x')
  })
  const port = host.split(':')[1]
  const names = [
    host,
    `localhost:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[::ffff:7f00:1]:${port}`,
    `0.0.0.0:${port}`
  ]
  const { show } = await start(t, { imageSources: names.join(' ') })
  for (const name of [...names, `0x7f.1:${port}`, `2130706433:${port}`])
    t.equal((await show(`http://${name}/x.png`)).status, 204, name)
  t.equal(requests, 0)
})

onlyOn('sqlite', 'a slow source holds nobody who asks for another picture', async t => {
  const waiting: (() => void)[] = []
  const bytes = await picture(3, 20)
  const host = await source(t, (request, response) => {
    if (request.url?.startsWith('/slow')) waiting.push(() => response.end(bytes))
    else response.end(bytes)
  })
  const { show, get } = await start(t, { imageSources: host, ...loopback })
  t.equal((await show(`http://${host}/quick`)).status, 200)
  const slow = Promise.all(Array.from({ length: 3 }, (_, at) => show(`http://${host}/slow${at}`)))
  t.equal((await show(`http://${host}/other`)).status, 200, 'one place is left')
  t.equal((await show(`http://${host}/quick`)).status, 200, 'what is known needs no place')
  t.equal((await get('/media?link=none')).status, 204)
  const release = async () => {
    await until(() => waiting.length === 3)
    for (const end of waiting) end()
  }
  await release()
  t.same(
    (await slow).map(({ status }) => status),
    [200, 200, 200]
  )
})

t.test('the oldest thumbnails are deleted when all of them are too large', async t => {
  const host = await source(t, async (request, response) =>
    response.end(await picture(Number(request.url?.slice(1)), 300))
  )
  const { db, show } = await start(t, { imageSources: host, ...loopback })
  const old = { kind: 'thumbnail' as const, type: 'image/webp', hash: 'x', bytes: Buffer.from('x') }
  const time = (day: number) => `2026-01-0${day}T00:00:00.000000Z`
  // The limit is 64 MiB.
  await withMedia(db)
    .insertInto('product_media')
    .values([
      { ...old, key: 'oldest', size: 2 ** 20, time_created: time(1) },
      { ...old, key: 'old', size: 63 * 2 ** 20, time_created: time(2) }
    ])
    .execute()
  const link = `http://${host}/0`
  t.equal((await show(link)).status, 200)
  const left = await withMedia(db).selectFrom('product_media').select('key').orderBy('time_created').execute()
  t.same(
    left.map(({ key }) => key),
    ['old', link]
  )
})

t.test('an upload is kept to the byte under its content id, and shown', async t => {
  const { url, db, get, show } = await start(t, { ipfsGateway: 'https://gateway.example/ipfs/' })
  const bytes = await picture(4, 500)
  const upload = (body: Uint8Array, type = 'image/png') =>
    get('/media', { method: 'POST', headers: { 'content-type': type }, body: body as BodyInit })
  const response = await upload(bytes)
  t.equal(response.status, 201)
  const { hash, cid, link, type } = (await response.json()) as Record<string, string>
  t.match({ type, link }, { type: 'image/png', link: `https://gateway.example/ipfs/${cid}` })
  t.equal(response.headers.get('location'), `media/${hash}`)
  t.same(Buffer.from(await (await get(`/media/${hash}`)).arrayBuffer()), bytes)
  t.equal((await (await upload(bytes)).json()).hash, hash, 'again, it is the same')
  for (const name of [link as string, `ipfs://${cid}`]) {
    const thumbnail = await show(name)
    t.equal(thumbnail.headers.get('content-type'), 'image/webp')
  }
  t.equal((await withMedia(db).selectFrom('product_media').select('key').execute()).length, 2)
  t.equal(
    (await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')).status,
    415
  )
  // Comments of XML may begin as AVIF does.
  const disguised = Buffer.from('<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg"/>')
  t.equal((await upload(disguised, 'image/avif')).status, 415)
  t.equal((await upload(Buffer.from('x'))).status, 415)
  t.equal((await upload(bytes, 'application/octet-stream')).status, 415)
  t.equal((await upload(Buffer.alloc(10 * 2 ** 20 + 1))).status, 413)
  const largest = Buffer.concat([bytes, Buffer.alloc(10 * 2 ** 20)]).subarray(0, 10 * 2 ** 20)
  t.equal((await upload(largest)).status, 201)
  t.equal((await get('/media', { method: 'POST' })).status, 415, 'without a body')
  const reader = await accessToken(url, { scope: 'read' })
  const refused = await fetch(`${url}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${reader}`, 'content-type': 'image/png' },
    body: bytes as BodyInit
  })
  t.equal(refused.status, 403)
})

t.test('an upload is refused if its token ends, or loses the scope, while the body arrives', async t => {
  const db = await database(t)
  const app = host(t)
  let happens = async () => {}
  app.addHook('preParsing', async ({ url }) => (url === '/media' ? happens() : undefined))
  await app.register(productTemplates, { ...cheapHash, db })
  await addUser(db)
  await addClient(db)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const upload = async (change: () => Promise<unknown>) => {
    const authorization = `Bearer ${await accessToken(url)}`
    happens = async () => void (await change())
    const headers = { authorization, 'content-type': 'image/png' }
    const body = (await picture(1)) as BodyInit
    const response = await fetch(`${url}/media`, { method: 'POST', headers, body })
    return [response.status, response.headers.get('www-authenticate')]
  }
  t.match(await upload(() => endTokens(db, user.email)), [401, /invalid_token/])
  t.match(await upload(() => users.update(db, user.email, { role: 'reader' })), [403, /insufficient_scope/])
  t.same(await withMedia(db).selectFrom('product_media').select('hash').execute(), [])
})

t.test('a picture of the web is fetched again when it is a day old, and stays if that fails', async t => {
  const first = await picture(1, 10)
  const second = await picture(2, 10)
  let bytes: Buffer | undefined = first
  const host = await source(t, (_request, response) =>
    bytes ? response.end(bytes) : response.writeHead(404).end()
  )
  const { db, show } = await start(t, { imageSources: host, ...loopback })
  const link = `http://${host}/jam.png`
  const age = () =>
    withMedia(db).updateTable('product_media').set({ time_created: '2026-01-01 00:00:00' }).execute()
  const before = (await show(link)).url
  bytes = second
  t.equal((await show(link)).url, before)
  await age()
  t.equal((await show(link)).url, before, 'nobody waits for the new one')
  await until(async () => (await show(link)).url !== before)
  const after = (await show(link)).url
  await age()
  bytes = undefined
  await show(link)
  await until(async () => (await show(link)).url === after)
})

t.test('a failed host does not hide the upload with the same content id', async t => {
  const foreign = await picture(1, 10)
  const own = await picture(2, 10)
  const host = await source(t, (_request, response) => response.end(foreign))
  const { url, show } = await start(t, { imageSources: host, ...loopback })
  const writing = await accessToken(url, { scope: 'read write' })
  const upload = async () => {
    const headers = { authorization: `Bearer ${writing}`, 'content-type': 'image/png' }
    const response = await fetch(`${url}/media`, { method: 'POST', headers, body: new Uint8Array(own) })
    return (await response.json()) as { cid: string; link: string }
  }
  const { cid, link } = await upload()
  const shown = (await show(link)).url
  const elsewhere = `http://${host}/ipfs/${cid}`
  t.equal((await show(elsewhere)).url, shown, 'the upload is known')
  t.equal((await show('ipfs://bafyunknown')).status, 204)
  const poisoned = `http://${host}/ipfs/bafyunknown`
  t.equal((await show(poisoned)).status, 200)
  t.equal((await show('ipfs://bafyunknown')).status, 204, 'the host does not speak for the content id')
})
