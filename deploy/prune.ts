/**
 * Deletes files from `dist` and `node_modules` that the image does not need: types, source maps, documents, tests,
 * examples, and the SQLite driver's sources and binaries for other platforms. Licences stay. Run `node prune.ts
 * <platform>`, with a platform such as linux-x64.
 */
import { globSync, rmSync } from 'node:fs'

const [platform] = process.argv.slice(2)
if (!platform) throw new Error('usage: node prune.ts <platform>')

const files = ['d.ts', 'd.mts', 'd.cts', 'map', 'md', 'markdown', 'tsbuildinfo']
const folders = '{test,tests,__tests__,bench,benchmark,benchmarks,example,examples,.github}'
const packages = ['node_modules/*', 'node_modules/@*/*', 'node_modules/**/node_modules/*']
const driver = 'node_modules/better-sqlite3'

const unused = [
  ...globSync(files.map(end => `{dist,node_modules}/**/*.${end}`)).filter(
    path => !/licen[cs]e|notice/i.test(path)
  ),
  ...globSync(packages.map(path => `${path}/${folders}`)),
  ...globSync(`${driver}/{deps,src,binding.gyp}`),
  ...globSync(`${driver}/prebuilds/*`).filter(path => !path.endsWith(`/${platform}.node`))
]
for (const path of unused) rmSync(path, { recursive: true, force: true })
if (globSync(`${driver}/prebuilds/*`).length !== 1)
  throw new Error(`the SQLite driver has no binary for ${platform}`)
