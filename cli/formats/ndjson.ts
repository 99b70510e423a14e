import type { Format } from './format.ts'
import { parseRecord } from './record-text.ts'
import { decodeText, splitLines } from './text.ts'

/** One JSON object in each line, https://github.com/ndjson/ndjson-spec. Empty lines are ignored. */
export const ndjson: Format = {
  async *read(input) {
    let line = 0
    for await (const text of splitLines(decodeText(input))) {
      line++
      if (text.trim() !== '') yield parseRecord(text, line)
    }
  },

  async *write(pages) {
    for await (const templates of pages())
      yield templates.map(template => `${JSON.stringify(template)}\n`).join('')
  }
}
