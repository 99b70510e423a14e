// Runs on SQLite only, in test:all only: login.test.ts and passkeys.test.ts do what pages show on both engines.
/** The login page, and pages of other origins that use it, in a real browser. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { productTemplates } from '../../../index.ts'
import { makeCertificate } from '../../cli/serve/certificate.ts'
import { launch } from '../../explorer/browse.ts'
import { authorization, authorizePath } from '../../support/browser/browser.ts'
import { needs } from '../../support/programs.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  database,
  service,
  user
} from '../../support/service/service.ts'

const example = readFileSync(new URL('../../../examples/login.html', import.meta.url), 'utf8')

/** Serves a page on an origin of its own; the page is known only once the origin is. */
async function origin(t: Test, host = '127.0.0.1'): Promise<{ url: string; page: (text: string) => void }> {
  let text = ''
  const server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end(text)
  )
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const page = (given: string) => {
    text = given
  }
  const { port } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, page }
}

async function start(t: Test) {
  const [listed, foreign] = [await origin(t), await origin(t)]
  const { db, url } = await service(t, { corsOrigins: listed.url })
  await addTemplates(db, { id: 1, name: 'Lamp' })
  const grants = { grantTypes: ['authorization_code'], isPublic: true, firstParty: true }
  const redirectUris = ['http://127.0.0.1/', 'http://[::1]/']
  await addClient(db, { id: 'page', ...grants, redirectUris })
  for (const { page } of [listed, foreign]) page(example.replace('http://127.0.0.1:3000', url))
  return { url, listed, foreign, browser: await launch(t) }
}

/** Logs in for the client `page` without a page of its own. */
async function logInFor(page: Page, url: string, redirectUri: string): Promise<void> {
  const parameters = { client_id: 'page', redirect_uri: redirectUri }
  await page.goto(`${url}${authorizePath(authorization(parameters))}`)
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
}

/** Logs in from a page; returns what the page says at the end, and what the browser complained about. */
async function logIn(browser: Browser, address: string) {
  const page = await (await browser.newContext()).newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  await page.goto(address)
  await page.click('#login')
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
  // The login page, which comes first, has no such text, and a page that still loads has a part of it.
  await page.waitForFunction(() => !['', '…'].includes(document.querySelector('#said')?.textContent ?? ''))
  return { said: await page.textContent('#said'), complaints }
}

t.test(
  'a page of a listed origin logs in and reads; that of another origin cannot',
  needs('chromium'),
  async t => {
    const { listed, foreign, browser } = await start(t)
    const { said, complaints } = await logIn(browser, listed.url)
    t.same([said, complaints], ['Lamp', []])
    t.equal((await logIn(browser, foreign.url)).said, 'refused: TypeError')
  }
)

t.test('P19 the page says that the user cancelled', needs('chromium'), async t => {
  const { listed, browser } = await start(t)
  const page = await browser.newPage()
  await page.goto(listed.url)
  await page.click('#login')
  await page.click('[value=cancel]')
  await page.getByText('refused: access_denied').waitFor()
})

t.test(
  'P23 over HTTPS and HTTP/2 the browser keeps the cookie, which only this host can set',
  needs('chromium'),
  async t => {
    const db = await database(t)
    await addUser(db)
    const { cert, key } = await makeCertificate()
    const app = Fastify({ http2: true, https: { cert, key } })
    t.teardown(() => app.close())
    await app.register(productTemplates, { db, ...cheapHash })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const client = await origin(t)
    const grants = { grantTypes: ['authorization_code'], isPublic: true, firstParty: true }
    await addClient(db, { id: 'page', ...grants, redirectUris: [`${client.url}/`] })
    const browser = await launch(t)
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await logInFor(page, url, `${client.url}/`)
    await page.waitForURL(`${client.url}/?code=*`)
    t.match(await context.cookies(), [
      { name: '__Host-product-session', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }
    ])
    const parameters = authorization({ client_id: 'page', redirect_uri: `${client.url}/` })
    await page.goto(`${url}${authorizePath(parameters)}`)
    t.match(page.url(), `${client.url}/?code=`, 'the second time without a page')
  }
)

t.test(
  'P21 a wrong password keeps the address, and the password can be shown',
  needs('chromium'),
  async t => {
    const { url, browser } = await start(t)
    const parameters = { client_id: 'page', redirect_uri: 'http://127.0.0.1:1/' }
    const address = `${url}${authorizePath(authorization(parameters))}`
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    await page.goto(address)
    await page.getByLabel('E-mail address').fill('a"<b>@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Show' }).click()
    t.equal(await page.getByLabel('Password').getAttribute('type'), 'text')
    await page.getByRole('button', { name: 'Hide' }).click()
    t.equal(await page.getByLabel('Password').getAttribute('type'), 'password')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    t.equal(await page.getByLabel('E-mail address').inputValue(), 'a"<b>@example.com')
    t.equal(await page.getByLabel('Password').inputValue(), '')
    t.ok(await page.getByLabel('Password').evaluate(field => field === document.activeElement))
    t.same(complaints, [])
    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    await plain.goto(address)
    t.notOk(await plain.getByRole('button', { name: 'Show' }).isVisible(), 'without scripts it does not work')
  }
)

t.test('clickjacking: no page can show the login page in a frame', needs('chromium'), async t => {
  const { url, listed, browser } = await start(t)
  listed.page(`<iframe src="${url}/oauth/logout"></iframe>`)
  const page = await browser.newPage()
  const refused = page.waitForEvent('console', message => message.text().includes('frame-ancestors'))
  await page.goto(listed.url)
  await refused
  t.equal(await page.frames()[1]?.getByText('You are logged out').count(), 0)
})

t.test(
  'the page can be used by keyboard, in the dark, and on a narrow screen',
  needs('chromium'),
  async t => {
    const { url, browser } = await start(t)
    const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 360, height: 640 } })
    const page = await context.newPage()
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: 'page',
      redirect_uri: 'http://127.0.0.1:1/',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256'
    })
    await page.goto(`${url}/oauth/authorize?${parameters}`)
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
    t.equal(await focused(), 'username')
    await page.keyboard.press('Tab')
    t.equal(await focused(), 'password')
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
    t.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 21, 19)')
  }
)

t.test('P06 the browser comes back to an IPv6 address', needs('chromium'), async t => {
  const { url, browser } = await start(t)
  const app = await origin(t, '::1')
  app.page('<p>here</p>')
  const page = await browser.newPage()
  await logInFor(page, url, `${app.url}/`)
  await page.waitForURL(`${app.url}/?code=*`)
})

t.test('P20 a client may send the browser on to another origin', needs('chromium'), async t => {
  const { url, browser } = await start(t)
  const page = await browser.newPage()
  const server = createServer((_request, response) =>
    response.writeHead(302, { Location: 'https://app.example/done' }).end()
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  // There is no such host; the policy would end the request before.
  const failed = page.waitForEvent('requestfailed', request => request.url() === 'https://app.example/done')
  await logInFor(page, url, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.not((await failed).failure()?.errorText, 'net::ERR_BLOCKED_BY_CSP')
})

t.test('P02 P24 a form of another site finds the session and does not end it', needs('chromium'), async t => {
  const { url, browser, listed: app } = await start(t)
  const other = await origin(t, 'localhost')
  const parameters = authorization({ client_id: 'page', redirect_uri: `${app.url}/` })
  const fields = Object.entries(parameters).map(([name, value]) => `<input name="${name}" value="${value}">`)
  other.page(
    `<form method="post" action="${url}/oauth/authorize">${fields.join('')}<button>Go</button></form>`
  )
  app.page('<p>here</p>')
  const page = await browser.newPage()
  await logInFor(page, url, `${app.url}/`)
  await page.waitForURL(`${app.url}/?code=*`)
  await page.goto(other.url)
  await page.click('button')
  await page.waitForURL(`${app.url}/?code=*`)
})
