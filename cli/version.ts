import { readFileSync } from 'node:fs'
import { locate } from '../files/locate.ts'

/** Reads the version of this package. */
export function readVersion(): string {
  // package.json is beside the sources and one level up from `dist`.
  const [manifest] = ['package.json', '../package.json'].flatMap(path => {
    try {
      return [JSON.parse(readFileSync(locate(path), 'utf8'))]
    } catch {
      return []
    }
  })
  return manifest.version
}
