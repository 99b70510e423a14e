/** Finds the files of the package. They have the same paths below the root of the sources and below `dist`. */
import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'

const root = new URL('../../', import.meta.url)

/** Locates a file by its path from the root of the sources or of `dist`. */
export const locate = (path: string): URL => new URL(path, root)

/** Locates the main file of a thread or process. `path` has no extension: `.ts` in the sources, `.js` in `dist`. */
export const locateMain = (path: string): URL => locate(path + extname(import.meta.url))

export function readVersion(): string {
  // package.json is beside the sources and one level up from `dist`.
  const manifest = ['package.json', '../package.json']
    .map(path => locate(path))
    .find(path => existsSync(path))
  return JSON.parse(readFileSync(manifest as URL, 'utf8')).version
}
