/** Bundles the command into a few files. The tests start it hundreds of times, and a bundle starts in three quarters of the time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { useLibraries } from './libraries.ts'

const folder = 'node_modules/.cache/product-templates-command'
/** The main files of processes and threads. */
const entries = ['cli/main', 'db/dialects/sqlite/thread-worker', 'db/backup/copy-worker']

/** Bundles the code without the libraries. Returns the environment that makes the tests start the bundle. */
export async function bundleCommand(): Promise<{ TEST_MAIN: string; TEST_MAIN_COMPILED: string }> {
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: entries.map(entry => ({ in: `${entry}.ts`, out: entry })),
    outdir: folder,
    // At the same depth as package-files.ts, which is in one of the bundles.
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22.18'
  })
  for (const path of [
    'package.json',
    'graphql/schema.graphql',
    'docs/template.schema.json',
    'seeds/demo.json'
  ])
    cpSync(path, join(folder, path))
  // Tests of the explorer build it when they need it.
  symlinkSync('../product-templates/explorer', join(folder, 'explorer'))
  const main = resolve(folder, 'cli/main.js')
  const compiled = resolve(folder, 'compiled')
  await compile(main, compiled)
  return { TEST_MAIN: main, TEST_MAIN_COMPILED: compiled }
}

/**
 * Runs the service once to fill the compile cache. When it exits, Node.js stores the code that the first process
 * compiled. That would be little if the process were killed or only printed its version.
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
