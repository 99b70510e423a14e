import { readFileSync } from 'node:fs'

/** Reads the version of this package. */
export function readVersion(): string {
  // package.json is one level up from the sources and two from the compiled code.
  const [manifest] = ['../package.json', '../../package.json'].flatMap(path => {
    try {
      return [JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))]
    } catch {
      return []
    }
  })
  return manifest.version
}
