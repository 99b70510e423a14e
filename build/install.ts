/**
 * Installs packages that only some commands need, from the lock file in their folder: `node build/install.ts
 * <folder>…`. Does nothing if they are installed.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockBuild, readIfThere } from './files.ts'

const root = join(import.meta.dirname, '..')

/** Installs the packages of a folder of this project. Throws if npm cannot, which has then printed why. */
export function installPackages(folder: string): void {
  const wanted = readFileSync(join(root, folder, 'package-lock.json'))
  const installed = join(root, folder, 'node_modules/.installed-lock.json')
  const isInstalled = () => readIfThere(installed)?.equals(wanted)
  if (isInstalled()) return
  lockBuild()
  if (isInstalled()) return
  console.error(`installing the packages of ${folder}`)
  execFileSync('npm', ['ci', '--prefix', join(root, folder), '--prefer-offline'], { stdio: ['ignore', 2, 2] })
  writeFileSync(installed, wanted)
}

if (import.meta.main) for (const folder of process.argv.slice(2)) installPackages(folder)
