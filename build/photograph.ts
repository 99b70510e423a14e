/**
 * Takes the picture docs/explorer.png with Chromium: `node build/photograph.ts`. It shows the demo templates as after
 * `npm start`.
 */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import Fastify from 'fastify'
import { chromium } from 'playwright-core'
import { openDatabase } from '../features/database.ts'
import { productTemplates } from '../index.ts'
import { demo } from '../seeds/credentials.ts'
import { seedDemo } from '../seeds/seed.ts'

/** The maximum size in bytes. */
const largest = 300_000
const path = new URL('../docs/explorer.png', import.meta.url).pathname
const root = new URL('../', import.meta.url)

execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { cwd: root })
const db = await openDatabase('sqlite::memory:')
const cost = { passwordMemory: 7168 }
await seedDemo(db, cost)
const app = Fastify()
await app.register(productTemplates, { db, ...cost, explorer: true })
const url = await app.listen({ port: 0, host: '127.0.0.1' })

const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1360, height: 850 } })
await page.goto(url)
await page.fill('[name=username]', demo.email)
await page.fill('[name=password]', demo.password)
await page.keyboard.press('Enter')
await page.waitForSelector('.facet')
// One demo template has an emoji, whose font servers rarely have.
await page.goto(`${url}/#/?order=created`)
await page.waitForSelector('.template-card')
await page.waitForSelector('.facet')
await page.screenshot({ path })

await browser.close()
await app.close()
await db.destroy()
if (statSync(path).size > largest) throw new Error(`${path} has more than ${largest} bytes`)
