import { JsonMistake, type MistakeKind, splitItems } from '../../db/templates/table/json-items.ts'
import { type Format, maxRecordSize, Unreadable } from './format.ts'
import { parseRecord } from './record-text.ts'
import { decodeText } from './text.ts'

/** One JSON array of objects. */
export const json: Format = {
  async *read(input) {
    try {
      for await (const { text, line } of splitItems(decodeText(input), maxRecordSize))
        yield parseRecord(text, line)
    } catch (error) {
      if (error instanceof JsonMistake) throw new Unreadable(mistakes[error.kind], { line: error.line })
      throw error
    }
  },

  async *write(pages) {
    let separator = '[\n'
    for await (const templates of pages()) {
      yield separator + templates.map(template => JSON.stringify(template)).join(',\n')
      separator = ',\n'
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n'
  }
}

const mistakes: Record<MistakeKind, string> = {
  begin: 'the file must be one JSON array of templates',
  end: 'the file ends before its array does',
  comma: 'a comma or the end of the array is missing',
  syntax: 'this is not valid JSON',
  length: `the record is longer than ${maxRecordSize} characters`
}
