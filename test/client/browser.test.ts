// Runs on SQLite only, in test:all only.
/** The recipe for a page, bundled, in a real browser and on an origin of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { type Test, t } from 'tap'
import { launch } from '../explorer/browse.ts'
import { needs } from '../support/programs.ts'
import { addClient, addTemplates, service, user } from '../support/service/service.ts'
import { readRecipes, writeRecipes } from './recipes.ts'

/** Serves a page with a script; returns its origin. */
async function serveScript(t: Test, script: () => string): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/script.js') response.setHeader('Content-Type', 'text/javascript').end(script())
    else
      response
        .setHeader('Content-Type', 'text/html')
        .end('<body><script type="module" src="script.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('a page logs in and reads; after a reload it needs no password', needs('chromium'), async t => {
  let script = ''
  const origin = await serveScript(t, () => script)
  const { db, url } = await service(t, { corsOrigins: origin })
  await addTemplates(db, { id: 1, name: 'Lamp' }, { id: 2, name: 'Shade' })
  const grantTypes = ['authorization_code', 'refresh_token']
  await addClient(db, {
    id: 'page',
    grantTypes,
    isPublic: true,
    redirectUris: ['http://127.0.0.1/'],
    firstParty: true
  })
  const folder = writeRecipes(t, readRecipes(url))
  const { outputFiles } = await build({
    entryPoints: [`${folder}/login.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm'
  })
  script = outputFiles[0]?.text ?? ''

  const page = await (await launch(t)).newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  const shown = () => page.waitForFunction(() => document.body.textContent?.includes('Lamp'))

  await page.goto(`${origin}/`)
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
  await shown()
  t.equal(await page.textContent('body'), 'Shade, Lamp')
  t.equal(page.url(), `${origin}/`, 'the code is not left in the address')
  t.equal(await page.evaluate('sessionStorage.length'), 0)
  await page.reload()
  await shown()
  t.same(complaints, [])
})
