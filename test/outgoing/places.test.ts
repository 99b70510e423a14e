// Runs on SQLite only, in test:all only.
/** A slow host delays neither other hosts nor other visitors. */
import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Test, t } from 'tap'
import { sendRequest, toBlockList } from '../../runtime/outgoing.ts'
import { HeldClock } from '../routes/responses/held-clock.ts'
import { authorization, authorizePath } from '../support/browser/browser.ts'
import { accessToken } from '../support/http/http.ts'
import { describeClient, privateNetworks, startSite } from '../support/http/mcp.ts'
import { picture, source } from '../support/pictures.ts'
import { service } from '../support/service/service.ts'
import { until } from '../support/until.ts'

/** Lets the service wait for a slow host as long as the test takes: on a busy machine, longer than its two seconds. */
function waitForever(t: Test): void {
  new HeldClock(t, 2000)
  t.capture(AbortSignal, 'timeout', () => new AbortController().signal)
}

/** Starts the service, and sites that never answer. `ask` requests a login page from an address of this machine. */
async function startWithSlowSites(t: Test, count: number) {
  waitForever(t)
  let asked = 0
  const sites = await Promise.all(Array.from({ length: count }, () => startSite(t, () => void asked++)))
  const { url } = await service(t, { mcp: true, privateNetworks })
  const { id: good } = await describeClient(t)
  const ask = async (client_id: string, localAddress = '127.0.0.1') => {
    const path = authorizePath(authorization({ client_id, redirect_uri: 'http://127.0.0.1:4567/callback' }))
    const request = get(`${url}${path}`, { localAddress })
    // Those of slow sites end with the test.
    request.on('error', () => {})
    t.teardown(() => request.destroy())
    const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage]
    return statusCode
  }
  return { sites, good, ask, asked: () => asked }
}

t.test('a visitor with many slow hosts delays no login of others', async t => {
  const { sites, good, ask, asked } = await startWithSlowSites(t, 12)
  for (const site of sites) ask(`${site}/client.json`, '127.0.0.2').catch(() => {})
  await until(() => asked() === 4)
  t.equal(await ask(good), 200)
  t.equal(asked(), 4, 'an address has four places')
})

t.test('a slow host delays no login at another, also of the same visitor', async t => {
  const { sites, good, ask, asked } = await startWithSlowSites(t, 1)
  for (let at = 0; at < 12; at++) ask(`${sites[0]}/${at}.json`).catch(() => {})
  await until(() => asked() === 2)
  t.equal(await ask(good), 200)
  t.equal(asked(), 2, 'a host has two places')
})

/**
 * Starts a source whose pictures are slow, except `/quick`, and returns what shows pictures with a token of its own.
 * The slow pictures end with `end`.
 */
async function startWithSlowPictures(t: Test) {
  waitForever(t)
  const slow: ServerResponse[] = []
  let hasEnded = false
  const bytes = await picture(1, 20)
  const slowHost = await source(t, ({ url }, response) => {
    if (url === '/quick' || hasEnded) response.end(bytes)
    else slow.push(response)
  })
  const host = await source(t, (_request, response) => response.end(bytes))
  const { url } = await service(t, { imageSources: `${slowHost} ${host}`, privateNetworks })
  const showAs = async () => {
    const headers = { authorization: `Bearer ${await accessToken(url)}` }
    return async (link: string) =>
      (await fetch(`${url}/media?link=${encodeURIComponent(`http://${link}`)}`, { headers })).status
  }
  const end = () => {
    hasEnded = true
    for (const response of slow) response.end(bytes)
  }
  return { slow, slowHost, host, showAs, end }
}

t.test('a slow source of pictures does not take all places', async t => {
  const { slow, slowHost, host, showAs, end } = await startWithSlowPictures(t)
  const shows = await Promise.all([showAs(), showAs()])
  const all = shows.flatMap((show, token) =>
    Array.from({ length: 4 }, (_, at) => show(`${slowHost}/${token}-${at}`))
  )
  await until(() => slow.length === 6)
  t.equal(await (await showAs())(`${host}/x`), 200)
  t.equal(slow.length, 6)
  end()
  t.same(await Promise.all(all), Array(8).fill(200))
})

t.test('a token without places does not hold up another one that asks for the same picture', async t => {
  const { slow, slowHost, showAs, end } = await startWithSlowPictures(t)
  const [one, other] = [await showAs(), await showAs()]
  const all = Array.from({ length: 4 }, (_, at) => one(`${slowHost}/${at}`))
  await until(() => slow.length === 4)
  let hasEnded = false
  const waiting = one(`${slowHost}/quick`).finally(() => {
    hasEnded = true
  })
  t.equal(await other(`${slowHost}/quick`), 200)
  t.notOk(hasEnded, 'the first one still waits')
  end()
  t.same(await Promise.all([...all, waiting]), Array(5).fill(200))
})

t.test('an answer must begin in time, and then may take longer', async t => {
  const host = await source(t, ({ url }, response) => {
    if (url === '/silent') return
    response.write('begun')
    setTimeout(() => response.end(), 60)
  })
  const ask = (path: string) =>
    sendRequest(new URL(`http://${host}${path}`), {
      headers: {},
      allowed: toBlockList(privateNetworks),
      signal: new AbortController().signal,
      firstByteTimeoutMs: path === '/silent' ? 20 : 2000
    })
  await t.rejects(ask('/silent'), /did not respond in time/)
  t.equal(String((await (await ask('/')).toArray()).join('')), 'begun')
})
