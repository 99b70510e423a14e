import { globSync } from 'node:fs'
import { readDocument } from '../../build/docs.ts'

const root = new URL('../../', import.meta.url).pathname

/** The README and the pages of `docs/`. */
export const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })]

/** Reads the code block behind a marker, `run: token`, of the README or a page. Throws unless one document has it. */
export function readBlock(marker: string): string {
  const found = pages.flatMap(name => {
    const [, text] = readDocument(name).split(`<!-- ${marker} -->\n`)
    const [, code] = text?.match(/^```\w*\n([\s\S]*?)\n```/) ?? []
    return code === undefined ? [] : [code]
  })
  const [code] = found
  if (code === undefined || found.length > 1) throw new Error(`${found.length} documents have "${marker}"`)
  return code
}

/** The lines of the block. */
export const readLines = (marker: string): string[] => readBlock(marker).split('\n')
