import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * An installation of the package without development dependencies. Sizes in MB: the sum of all files, and the disk
 * space.
 */
export interface Install {
  packages: number
  size: number
  onDisk: number
  /** The largest packages, without nested packages. */
  largest: { name: string; size: number }[]
}

const root = new URL('../../', import.meta.url).pathname
const run = promisify(execFile)

/** Packs the package and installs it with npm in `folder`. */
export async function measureInstall(folder: string): Promise<Install> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root
  })
  const { filename } = [JSON.parse(stdout)].flat()[0] ?? {}
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...options, join(folder, filename)], { cwd: folder })
  const packages = listPackages(join(folder, 'node_modules')).map(path => ({
    name: path.replace(/^.*node_modules\//, ''),
    ...measure(path)
  }))
  const sum = (key: 'size' | 'onDisk') => packages.reduce((total, one) => total + one[key], 0)
  const largest = packages.toSorted((a, b) => b.size - a.size).slice(0, 10)
  return { packages: packages.length, size: sum('size'), onDisk: sum('onDisk'), largest }
}

/** Lists the folders of all packages, including nested ones. */
function listPackages(modules: string): string[] {
  const names = readdirSync(modules).flatMap(name =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map(inner => join(name, inner))
      : name.startsWith('.')
        ? []
        : [name]
  )
  return names.flatMap(name => {
    const path = join(modules, name)
    const inner = join(path, 'node_modules')
    return [path, ...(readdirSync(path).includes('node_modules') ? listPackages(inner) : [])]
  })
}

/** Sums the files of a package, in MB. */
function measure(path: string): { size: number; onDisk: number } {
  const { size, blocks } = lstatSync(path)
  const total = { size: 0, onDisk: (blocks * 512) / 1e6 }
  if (!lstatSync(path).isDirectory()) return { size: size / 1e6, onDisk: (blocks * 512) / 1e6 }
  for (const name of readdirSync(path)) {
    if (name === 'node_modules') continue
    const inner = measure(join(path, name))
    total.size += inner.size
    total.onDisk += inner.onDisk
  }
  return total
}
