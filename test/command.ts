/** The command that the tests start hundreds of times, in few files: as `npm run build` puts it into `dist`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { bundleCode } from '../build/code.ts'
import { useLibraries } from './libraries.ts'

const folder = 'node_modules/.cache/product-templates-command'

/** Bundles the code; libraries stay packages. Returns the environment that lets the tests start it. */
export async function bundleCommand(): Promise<{ TEST_MAIN: string; TEST_MAIN_COMPILED: string }> {
  rmSync(folder, { recursive: true, force: true })
  for (const { path, text } of await bundleCode(folder, new Map())) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const path of ['package.json', 'graphql/schema.graphql', 'docs/template.schema.json'])
    cpSync(path, join(folder, path))
  // Tests of the explorer build it when they need it.
  symlinkSync('../product-templates/explorer', join(folder, 'explorer'))
  const main = resolve(folder, 'cli/main.js')
  const compiled = resolve(folder, 'compiled')
  await compile(main, compiled)
  return { TEST_MAIN: main, TEST_MAIN_COMPILED: compiled }
}

/**
 * Runs the service once. Node.js keeps of a file what its first process has compiled when that ends: little, if it is
 * killed or only prints its version.
 */
async function compile(main: string, compiled: string): Promise<void> {
  const child = spawn(process.execPath, [`--import=${useLibraries}`, main, 'serve', '--demo'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: compiled,
      DATABASE_URL: 'sqlite::memory:',
      PASSWORD_MEMORY: '7168',
      PORT: '0'
    },
    stdio: ['ignore', 'pipe', 'ignore']
  })
  createInterface(child.stdout).on('line', line => line.includes('Server listening') && child.kill())
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the service does not start: try `npm start`')
}
