/** The command that the tests start hundreds of times, in few files: as `npm run build` puts it into `dist`. */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleCode } from '../build/code.ts'

const folder = 'node_modules/.cache/product-templates-command'

/** Bundles the code; libraries stay packages. Returns the main file of the command. */
export async function bundleCommand(): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  for (const { path, text } of await bundleCode(folder, new Map())) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const path of ['package.json', 'graphql/schema.graphql', 'docs/template.schema.json'])
    cpSync(path, join(folder, path))
  // Tests of the explorer build it when they need it.
  symlinkSync('../product-templates/explorer', join(folder, 'explorer'))
  return join(process.cwd(), folder, 'cli/main.js')
}
