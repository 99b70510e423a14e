/**
 * Where files of the package are. In `dist`, the build puts this module into a folder at the same depth as this one, so
 * the path of the root is the same.
 */
import { extname } from 'node:path'

const root = new URL('../', import.meta.url)

/** Locates a file by its path from the root of the sources or of `dist`. */
export const locate = (path: string): URL => new URL(path, root)

/** Locates the main file of a thread or process; `path` has no extension, which is `.ts` or `.js`. */
export const locateMain = (path: string): URL => locate(path + extname(import.meta.url))
