/** Any templates, to write them to a file of any format and read them again. */
import { isDeepStrictEqual } from 'node:util'
import { type Column, columns, maxInt, type ProductTemplate } from '../../../domain/columns.ts'
import type { Format } from '../../../terminal/file-format.ts'
import fc from './fast-check.ts'
import { oddDocument, oddText } from './odd-json.ts'

/** Texts as a database has them: PostgreSQL has no U+0000, and neither has half of a surrogate pair. */
const isStored = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
const text = oddText.filter(text => text !== '' && isStored(text))
const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map(date => date.toISOString().replace('Z', '123Z'))

/** Any value of a column. */
const anyOf = ({ type, minimum }: Column): fc.Arbitrary<unknown> =>
  ({
    integer: fc.integer({ min: minimum ?? 0, max: maxInt }),
    text,
    boolean: fc.boolean(),
    time,
    document: oddDocument(100).filter(isStored)
  })[type]

export const template = fc.record(
  Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, anyOf(column)])),
  // As they are read.
  { noNullPrototype: true }
) as fc.Arbitrary<unknown> as fc.Arbitrary<ProductTemplate>

/** Writes a file by pages, and reads it in pieces of `size` bytes. */
export async function thereAndBack(
  { read, write }: Format,
  templates: ProductTemplate[],
  size: number
): Promise<unknown[]> {
  async function* pages() {
    for (let start = 0; start < templates.length; start += 2) yield templates.slice(start, start + 2)
  }
  const parts: Uint8Array[] = []
  for await (const part of write(pages, () => {})) parts.push(Buffer.from(part as string))
  const bytes = Buffer.concat(parts)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const found: unknown[] = []
  for await (const { values, problems } of read(pieces(), () => {}, 'a file'))
    found.push(problems?.length ? problems : values)
  return found
}

/** Rejects if any templates do not come back as they were. */
export const comeBack = (format: Format): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(template, { maxLength: 3 }),
      fc.constantFrom(7, 1000, 2 ** 16),
      async (templates, size) => isDeepStrictEqual(await thereAndBack(format, templates, size), templates)
    ),
    { numRuns: 100 }
  )
