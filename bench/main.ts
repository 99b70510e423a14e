/** `npm run bench` compares the service with others on this machine. `--help` lists the options. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measure.ts'
import { formatPicture } from './picture.ts'
import { explainRun, formatPage, formatTables } from './report.ts'
import { writeResults } from './results.ts'
import { parseSettings, type Settings } from './settings.ts'

async function main(settings: Settings): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'product-templates-bench-'))
  try {
    const results = await measure(settings, folder)
    console.log(`${explainRun(results)}\n\n${formatTables(results)}`)
    if (!settings.write) return
    writeResults(results)
    await writeFile(new URL('README.md', import.meta.url), formatPage(results))
    await writeFile(new URL('results.svg', import.meta.url), formatPicture(results))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let settings: Settings | string
try {
  settings = parseSettings(process.argv.slice(2))
} catch (error) {
  console.error(`bench: ${(error as Error).message}`)
  process.exit(2)
}
if (typeof settings === 'string') console.log(settings)
else await main(settings)
