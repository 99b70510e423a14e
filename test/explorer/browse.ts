import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { t as root, type Test } from 'tap'
import { chromiumFlags } from '../support/browser/chromium.ts'
import { locate } from '../support/programs.ts'
import { user } from '../support/service/service.ts'

const checkout = new URL('../../', import.meta.url)

let isBuilt = false

/** Builds the explorer once in a process, if it has changed since the last time. */
export function buildExplorer(): void {
  if (isBuilt) return
  execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { cwd: checkout, stdio: 'ignore' })
  isBuilt = true
}

let launched: Promise<Browser> | undefined

/** Returns the browser of this process. A test shares no page with others, and its pages are closed when it ends. */
export async function launch(t: Test): Promise<Browser> {
  launched ??= launchOnce()
  const browser = await launched
  const before = new Set(browser.contexts())
  t.teardown(async () => {
    for (const context of browser.contexts()) {
      if (before.has(context)) continue
      if (!t.passing()) for (const page of context.pages()) await describePage(page)
      await context.close()
    }
  })
  return browser
}

/** Prints what a failed test left on its page. */
async function describePage(page: Page): Promise<void> {
  const text = await page.innerText('body', { timeout: 5000 }).catch(String)
  console.error(`${page.url()} shows:\n${text.slice(0, 2000)}`)
}

/** Milliseconds for each step: none is judged by the speed of the machine. */
const timeout = 300_000

async function launchOnce(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: locate('chromium'),
    args: chromiumFlags,
    timeout
  })
  browser.on('context', context => context.setDefaultTimeout(timeout))
  root.teardown(() => browser.close())
  return browser
}

/** A page that notes what must not happen: errors, refusals by the policy, requests to other hosts. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {}
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(`${new URL(url).origin}/`) && !/^(data|blob):/.test(request.url()))
      complaints.push(`a request to ${request.url()}`)
  })
  await page.goto(url)
  return { page, complaints }
}

export async function logIn(page: Page): Promise<void> {
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.header')
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on the page that is serious or worse, by all rules or the given ones: the rule and the elements. */
export async function findBarriers(page: Page, runOnly?: string[]): Promise<string[]> {
  // By the protocol of the browser, which the policy of the page does not concern.
  await page.evaluate(axe)
  // A colour between two themes has another contrast.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished.catch(() => {})))`)
  const options = { resultTypes: ['violations'], ...(runOnly && { runOnly }) }
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }>(`axe.run(${JSON.stringify(options)})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' ')}`)
}

/** With SCREENSHOTS=1, writes a picture of the page for people to look at: not into git. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return
  await page.screenshot({ path: new URL(`.screenshots/${name}.png`, checkout).pathname })
}
