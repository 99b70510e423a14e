/**
 * Runs the tests of the contract, of embedding and of the package on the oldest Node.js that `engines` promises. All other
 * runs are on the newest, which package-lock.json has.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { buildTap } from './build-tap.ts'

const files = [
  'test/conformance/graphql/contract.test.ts',
  'test/conformance/{templates,token}.test.ts',
  'test/embed.test.ts',
  'test/package/package.test.ts'
]

const root = join(import.meta.dirname, '..')
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const version: string = engines.node.replace('>=', '')
const folder = join(root, `node_modules/.cache/product-templates-node/${version}`)
const node = join(folder, 'node_modules/node/bin/node')

/** Runs a program to its end, and ends this process if it fails. */
function run(program: string, words: string[], env = process.env): void {
  const { status, error } = spawnSync(program, words, { cwd: root, env, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

mkdirSync(folder, { recursive: true })
run('npm', [
  ...['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--prefer-offline'],
  `node@${version}`
])
await buildTap()
run(node, ['--version'])
// npm puts the newest one there.
const path = (process.env.PATH ?? '').split(delimiter).filter(each => !each.endsWith('node_modules/.bin'))
const PATH = [join(folder, 'node_modules/node/bin'), ...path].join(delimiter)
run(node, [join(root, 'node_modules/tap/dist/esm/run.mjs'), '--jobs=2', ...files], { ...process.env, PATH })
