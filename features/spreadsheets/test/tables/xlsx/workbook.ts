import { crc32, deflateRawSync } from 'node:zlib'

const field = (size: 2 | 4 | 8, ...values: number[]): Buffer => {
  const bytes = Buffer.alloc(size * values.length)
  for (const [at, value] of values.entries())
    if (size === 8) bytes.writeBigUInt64LE(BigInt(value), at * 8)
    else bytes.writeUIntLE(value, at * size, size)
  return bytes
}

/** The value of a field that is in the ZIP64 record instead. */
const in64 = 2 ** 32 - 1

/**
 * Packs parts as a ZIP file. With `zip64`, it has the wide fields and, with `both`, also a directory without them, in
 * which large parts have one byte.
 */
export function zip(
  parts: Record<string, string | Buffer>,
  kind: 'plain' | 'zip64' | 'both' = 'plain'
): Buffer {
  const locals: Buffer[] = []
  const [narrow, wide]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const packed = deflateRawSync(content, { level: 1 })
    const size = Buffer.byteLength(content)
    const start = field(2, 20, 2048, 8, 0, 0)
    const sum = field(4, crc32(content))
    const makeEntry = (sizes: number[], offset: number, extra: Buffer) =>
      Buffer.concat([
        ...[Buffer.from('PK\x01\x02'), field(2, 45), start, sum, field(4, ...sizes), field(2, name.length)],
        ...[field(2, extra.length, 0, 0, 0), field(4, 0, offset), Buffer.from(name), extra]
      ])
    const extra = Buffer.concat([field(2, 1, 24), field(8, size, packed.length, offset)])
    wide.push(makeEntry([in64, in64], in64, extra))
    const shown = kind === 'both' && size > 2 ** 20 ? 1 : size
    narrow.push(makeEntry([packed.length, shown], offset, Buffer.alloc(0)))
    const local = Buffer.concat([
      ...[Buffer.from('PK\x03\x04'), start, sum, field(4, packed.length, size), field(2, name.length, 0)],
      ...[Buffer.from(name), packed]
    ])
    locals.push(local)
    offset += local.length
  }
  // A byte between the directories, so that they are not one.
  const [first, second] = [Buffer.concat([...narrow, Buffer.alloc(1)]), Buffer.concat(wide)]
  const at = offset + first.length
  const { length: count } = narrow
  const end64 = Buffer.concat([
    ...[Buffer.from('PK\x06\x06'), field(8, 44), field(2, 45, 45), field(4, 0, 0)],
    ...[field(8, count, count, second.length, at), Buffer.from('PK\x06\x07'), field(4, 0)],
    ...[field(8, at + second.length), field(4, 1)]
  ])
  const isPlain = kind === 'plain'
  const end = [
    ...[Buffer.from('PK\x05\x06'), field(2, 0, 0), field(2, ...Array(2).fill(isPlain ? count : 2 ** 16 - 1))],
    ...[field(4, first.length - 1, kind === 'zip64' ? in64 : offset), field(2, 0)]
  ]
  return Buffer.concat([...locals, first, ...(isPlain ? [] : [second, end64]), ...end])
}

interface SheetXml {
  name: string
  /** The rows of cells. */
  xml: string
  /** What comes after them. */
  end?: string
  type?: 'worksheet' | 'chartsheet'
  state?: 'visible' | 'hidden' | 'veryHidden'
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** The parts of a workbook. `formats` are number formats: the first one has the style 1. */
export function makeParts(
  sheets: SheetXml[],
  { formats = [], is1904 = false }: { formats?: string[]; is1904?: boolean } = {}
): Record<string, string> {
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const encode = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `<Relationships xmlns="${packages}">${link('a', 'officeDocument', '/xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr date1904="${Number(is1904)}"/><sheets>${sheets
      .map(
        ({ name, state = 'visible' }, at) =>
          `<sheet name="${name}" sheetId="${at + 1}" state="${state}" r:id="s${at}"/>`
      )
      .join('')}</sheets></workbook>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${encode(code)}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, at) => `<xf numFmtId="${170 + at}"/>`)
      .join('')}</cellXfs></styleSheet>`
  }
  const links = [link('styles', 'styles', 'styles.xml')]
  for (const [at, { xml, end = '', type = 'worksheet' }] of sheets.entries()) {
    const part = `${type}s/sheet${at + 1}.xml`
    links.push(link(`s${at}`, type, part))
    parts[`xl/${part}`] =
      type === 'worksheet'
        ? `<worksheet xmlns="${main}"><sheetData>${xml}</sheetData>${end}</worksheet>`
        : `<${type}/>`
  }
  parts['xl/_rels/workbook.xml.rels'] = `<Relationships xmlns="${packages}">${links.join('')}</Relationships>`
  return parts
}

/** The cells of a row of a sheet. */
export type Row = (string | number | null)[]

/** Makes a workbook with one sheet. `hidden` has the numbers of its hidden rows, `merges` its merged ranges. */
export function makeSheet(
  rows: Row[],
  { hidden = [], merges = [] }: { hidden?: number[]; merges?: string[] } = {}
): Buffer {
  const xml = rows.map((cells, at) => {
    const line = at + 1
    const columns = cells.map((cell, index) => {
      const place = `r="${String.fromCharCode(65 + index)}${line}"`
      if (cell === null) return ''
      return typeof cell === 'number'
        ? `<c ${place}><v>${cell}</v></c>`
        : `<c ${place} t="inlineStr"><is><t>${cell}</t></is></c>`
    })
    return `<row r="${line}"${hidden.includes(line) ? ' hidden="1"' : ''}>${columns.join('')}</row>`
  })
  const ranges = merges.map(range => `<mergeCell ref="${range}"/>`).join('')
  return zip(makeParts([{ name: 'S', xml: xml.join(''), end: `<mergeCells>${ranges}</mergeCells>` }]))
}
