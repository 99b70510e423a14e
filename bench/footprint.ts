/**
 * `npm run bench:footprint` measures the resources of the service: start time, and memory when idle and after 10,000
 * requests. It alternates with a bare Fastify with Mercurius, and also measures the disk space of an installation.
 * `--rounds <count>` defaults to 5. `--write` writes bench/footprint.md; without it, no file changes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessToken } from './credentials.ts'
import { measureInstall } from './footprint/install.ts'
import { type Footprint, measureProcess } from './footprint/process.ts'
import { formatPage } from './footprint/report.ts'
import { heapFlags, runCommand } from './servers.ts'

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
    own.push(
      await measureProcess({ words: [...heapFlags, main, 'serve'], env, query, getToken: accessToken })
    )
  }
  const page = formatPage({ own, bare, install: await measureInstall(folder) })
  console.log(page)
  if (values.write) await writeFile(new URL('footprint.md', import.meta.url), page)
} finally {
  await rm(folder, { recursive: true, force: true })
}
