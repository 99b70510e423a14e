// Runs on SQLite only, in test:all only: login.test.ts and passkeys.test.ts do what pages show on both engines.
/** The pages for people in a real browser, with its virtual authenticator, and what axe says of them. */
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { createLinkToken } from '../../../accounts/passwords.ts'
import { findUserByEmail, type StoredUser } from '../../../db/accounts/users.ts'
import { noActor } from '../../../db/audit/record.ts'
import { productTemplates } from '../../../index.ts'
import { findBarriers, launch, openPage, photograph } from '../../explorer/browse.ts'
import { authorization, authorizePath } from '../../support/browser/browser.ts'
import { basic, tokenRequest } from '../../support/http/http.ts'
import { freePort } from '../../support/postgres/postgres.ts'
import { needs } from '../../support/programs.ts'
import { remember } from '../../support/service/secrets.ts'
import { addClient, addUser, cheapHash, database, host, user } from '../../support/service/service.ts'

async function start(t: Test) {
  const db = await database(t)
  await addUser(db)
  const port = await freePort()
  // An IP address cannot have passkeys.
  const url = `http://localhost:${port}`
  const redirectUris = [`${url}/oauth/account`]
  const client = { grantTypes: ['authorization_code', 'password', 'refresh_token'], redirectUris }
  await addClient(db, { id: 'app', ...client, firstParty: true })
  await addClient(db, { id: 'shop', ...client, displayName: 'The shop' })
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, issuer: url, passkeys: true })
  await app.listen({ port, host: '127.0.0.1' })
  const loginOf = (client_id: string) =>
    `${url}${authorizePath(authorization({ client_id, redirect_uri: `${url}/oauth/account` }))}`
  return { db, url, loginOf, browser: await launch(t) }
}

async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
}

async function logIn(page: Page): Promise<void> {
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
}

const hasCode = (page: Page) => page.waitForURL(/account\?code=/)
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('P72 a browser adds a passkey, logs in with it, and removes it', needs('chromium'), async t => {
  const { url, loginOf, browser } = await start(t)
  const { page, complaints } = await openPage(browser, loginOf('app'))
  await addAuthenticator(page)
  await page.reload()
  await logIn(page)
  await hasCode(page)
  await page.goto(`${url}/oauth/account`)
  t.equal(await page.inputValue('[name=name]'), 'Chrome on Linux')
  await page.fill('[name=name]', 'My laptop')
  await button(page, 'Add a passkey').click()
  await page.getByText('Your passkey is added. You can log in with it.').waitFor()
  await button(page, 'Add a passkey').click()
  await page.getByText('This device already has a passkey for your account.').waitFor()

  await button(page, 'Log out Chrome on Linux, this one').click()
  await page.getByText('You are logged out here.').waitFor()
  await page.goto(loginOf('app'))
  await button(page, 'Log in with a passkey').click()
  await hasCode(page)

  await page.goto(`${url}/oauth/account`)
  await page.getByText('Last used').nth(1).waitFor()
  await button(page, 'Delete My laptop').click()
  await page.getByText('The passkey is deleted.').waitFor()
  const other = await openPage(browser, loginOf('app'))
  await page.goto(`${loginOf('app')}&prompt=login`)
  await button(page, 'Log in with a passkey').click()
  await page.getByText('The passkey was not accepted.').waitFor()

  // As when somebody cancels.
  await other.page.evaluate(() => {
    navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  await button(other.page, 'Log in with a passkey').click()
  await other.page.getByText('The passkey was not used.').waitFor()
  t.same([...complaints, ...other.complaints], [])
})

t.test(
  'P73 without JavaScript, or in a browser without passkeys, nothing offers them',
  needs('chromium'),
  async t => {
    const { url, loginOf, browser } = await start(t)
    const { page } = await openPage(browser, loginOf('app'), { javaScriptEnabled: false })
    t.equal(await page.locator('#passkey').count(), 1)
    t.notOk(await page.locator('#passkey').isVisible())
    await page.fill('[name=username]', user.email)
    await page.fill('[name=password]', user.password)
    await button(page, 'Log in').click()
    await hasCode(page)
    await page.goto(`${url}/oauth/account`)
    t.notOk(await page.locator('#passkey').isVisible())

    const old = await browser.newContext()
    await old.addInitScript('delete window.PublicKeyCredential')
    const oldPage = await old.newPage()
    await oldPage.goto(loginOf('app'))
    await button(oldPage, 'Show').waitFor()
    t.notOk(await oldPage.locator('#passkey').isVisible())
  }
)

t.test(
  'P74 the pages are for everybody: axe finds nothing, on small and large screens',
  needs('chromium'),
  async t => {
    const { db, url, loginOf, browser } = await start(t)
    const looks = [
      ['light', 1360],
      ['dark', 360]
    ] as const
    for (const [colorScheme, width] of looks) {
      const viewport = { width, height: 900 }
      const { page, complaints } = await openPage(browser, loginOf('shop'), { colorScheme, viewport })
      await addAuthenticator(page)
      await page.reload()
      const look = async (name: string) => {
        t.same(await findBarriers(page), [], `${name} ${colorScheme} ${width}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
        t.notOk(wide, `${name} fits into ${width}`)
        await photograph(page, `${name}-${colorScheme}-${width}`)
      }
      await button(page, 'Log in with a passkey').waitFor()
      await look('login')
      await page.fill('[name=username]', user.email)
      await page.fill('[name=password]', 'wrong')
      await page.keyboard.press('Enter')
      await page.getByText('E-mail address or password is wrong.').waitFor()
      await look('login-refused')
      await page.fill('[name=password]', user.password)
      await page.keyboard.press('Enter')
      await button(page, 'Allow').waitFor()
      await look('consent')
      await button(page, 'Allow').click()
      await hasCode(page)
      await tokenRequest(url, {}, { authorization: basic('shop') })
      await page.goto(`${url}/oauth/account`)
      await button(page, 'Add a passkey').click()
      await page.getByText('Your passkey is added.').waitFor()
      await look('account')
      await button(page, 'Revoke the access of shop').click()
      await page.goto(`${url}/oauth/logout`)
      await look('logout')
      const found = (await findUserByEmail(db, user.email)) as StoredUser
      await page.goto(`${url}/oauth/password?token=${remember(await createLinkToken(db, found, noActor))}`)
      await look('password')
      t.same(complaints, [])
    }
  }
)
