/**
 * `npm run bench:footprint` measures what the service needs to be there: time to be ready, memory when idle and after
 * 10,000 requests, beside a bare Fastify with Mercurius, in turn; and what an installation takes on the disk.
 * `--rounds <count>`, 5 by default; `--write` writes bench/footprint.md, nothing else changes a file.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessToken } from './credentials.ts'
import { measureInstall } from './footprint/install.ts'
import { type Footprint, measureProcess } from './footprint/process.ts'
import { formatPage } from './footprint/report.ts'
import { runCommand, youngHeap } from './servers.ts'

const query = '{ allProducts { id name data } }'
const main = new URL('../dist/cli/main.js', import.meta.url).pathname
const bareMain = new URL('contenders/bare.ts', import.meta.url).pathname

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } }
})

const folder = await mkdtemp(join(tmpdir(), 'product-templates-footprint-'))
try {
  const database = `sqlite:${join(folder, 'templates.db')}`
  await runCommand(database, ['seed', '--demo'])
  const own: Footprint[] = []
  const bare: Footprint[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    bare.push(await measureProcess({ words: [bareMain], env: {}, query }))
    const env = { DATABASE_URL: database, LOG_LEVEL: 'warn' }
    own.push(await measureProcess({ words: [youngHeap, main, 'serve'], env, query, getToken: accessToken }))
  }
  const page = formatPage({ own, bare, install: await measureInstall(folder) })
  console.log(page)
  if (values.write) await writeFile(new URL('footprint.md', import.meta.url), page)
} finally {
  await rm(folder, { recursive: true, force: true })
}
