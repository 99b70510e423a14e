import { existsSync, readFileSync } from 'node:fs'
import { locate } from '../files/locate.ts'

/** Reads the version of this package. */
export function readVersion(): string {
  // package.json is beside the sources and one level up from `dist`.
  const manifest = ['package.json', '../package.json']
    .map(path => locate(path))
    .find(path => existsSync(path))
  return JSON.parse(readFileSync(manifest as URL, 'utf8')).version
}
