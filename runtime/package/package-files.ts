/** Finds the files of the package. They have the same paths below the root of the sources and below `dist`. */
import { readFileSync } from 'node:fs'
// An old Node.js lacks findPackageJSON; as a named import, that would end the process before node-version.ts says so.
import module from 'node:module'
import { extname } from 'node:path'

const root = new URL('../../', import.meta.url)

/** Locates a file by its path from the root of the sources or of `dist`. */
export const locate = (path: string): URL => new URL(path, root)

/** Locates the main file of a thread or process. `path` has no extension: `.ts` in the sources, `.js` in `dist`. */
export const locateMain = (path: string): URL => locate(path + extname(import.meta.url))

export const readVersion = (): string =>
  JSON.parse(readFileSync(module.findPackageJSON(import.meta.url) as string, 'utf8')).version
