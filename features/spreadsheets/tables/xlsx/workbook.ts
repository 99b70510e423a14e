import { findBuiltIn } from './number-format.ts'
import { readXml, type XmlEvent } from './xml.ts'
import { makeUnreadable, type Zip } from './zip.ts'

/** A sheet with cells. Sheets that are charts or dialogs have none. */
interface Sheet {
  name: string
  isHidden: boolean
  /** The part with its cells. */
  part: string
}

/** The description of the sheets in a workbook. */
export interface Parts {
  sheets: Sheet[]
  /** Whether days are counted from 1904. */
  is1904: boolean
  strings: string | undefined
  styles: string | undefined
}

/** Reads the sheets of a workbook in their order. */
export async function readParts(zip: Zip): Promise<Parts> {
  const [document] = Object.values(await readLinks(zip, '')).filter(({ type }) => type === 'officeDocument')
  const path = document?.part ?? 'xl/workbook.xml'
  if (path.endsWith('.bin')) throw makeUnreadable('it is in a binary format: save it as XLSX')
  const links = await readLinks(zip, path)
  const findPart = (type: string) => Object.values(links).find(link => link.type === type)?.part
  const parts: Parts = {
    sheets: [],
    is1904: false,
    strings: findPart('sharedStrings'),
    styles: findPart('styles')
  }
  for await (const { start, attributes } of readStarts(zip, path)) {
    if (start === 'workbookPr') parts.is1904 = isTrue(attributes.date1904)
    if (start !== 'sheet') continue
    const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
    const link = links[id]
    if (link?.type !== 'worksheet') continue
    const isHidden = (attributes.state ?? 'visible') !== 'visible'
    parts.sheets.push({ name: attributes.name ?? '', isHidden, part: link.part })
  }
  return parts
}

/** Number of cells from which a table is as large as any other one. */
const manyCells = 2000
/** Number of rows after which a sheet is not read further to find out how large it is. */
const manyRows = 5000

/** Finds the visible sheet with the largest table, because the first one may be a cover; undefined without a sheet. */
export async function findLargest(zip: Zip, sheets: Sheet[]): Promise<Sheet | undefined> {
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  if (visible.length < 2) return visible[0] ?? sheets[0]
  const counts: number[] = []
  for (const { part } of visible) counts.push(await countCells(zip, part))
  return visible[counts.indexOf(Math.max(...counts))]
}

/** Counts the values in rows with several of them, without those behind a damage. */
async function countCells(zip: Zip, part: string): Promise<number> {
  let [all, inRow, rows] = [0, 0, 0]
  try {
    for await (const { start } of readStarts(zip, part)) {
      if (start === 'row') {
        inRow = 0
        rows++
      } else if (start === 'v' || start === 't') all += ++inRow > 2 ? 1 : inRow === 2 ? 2 : 0
      if (all >= manyCells || rows >= manyRows) break
    }
  } catch {
    // Who chooses the sheet learns what is wrong with it.
  }
  return all
}

export const isTrue = (text = ''): boolean => text === '1' || text.toLowerCase() === 'true'

/** Reads the targets of the relationships of a part, ECMA-376 part 2, 6.5. The empty path is that of the whole file. */
async function readLinks(zip: Zip, path: string): Promise<Record<string, { type: string; part: string }>> {
  const links: Record<string, { type: string; part: string }> = Object.create(null)
  const [, folder = '', file = ''] = /^(.*?)([^/]*)$/.exec(path) ?? []
  for await (const { start, attributes } of readStarts(zip, `${folder}_rels/${file}.rels`)) {
    const { Id: id = '', Type: type = '', Target: target = '' } = attributes
    // A link to another file may have any text.
    if (start !== 'Relationship' || attributes.TargetMode === 'External') continue
    const part = decodeURI(new URL(target, `zip:///${folder}`).pathname).slice(1)
    links[id] = { type: type.slice(type.lastIndexOf('/') + 1), part }
  }
  return links
}

type StartTag = Extract<XmlEvent, { start: string }>

async function* readStarts(zip: Zip, part: string): AsyncGenerator<StartTag> {
  for await (const events of readXml(zip.read(part)))
    for (const event of events) if (event.start !== undefined) yield event
}

/** Reads the shared strings, without the reading aids of Japanese text. */
export async function readStrings(zip: Zip, part: string | undefined): Promise<string[]> {
  const strings: string[] = []
  let text: string | undefined
  let isAid = false
  if (part === undefined) return strings
  for await (const events of readXml(zip.read(part)))
    for (const event of events) {
      if (event.start === 'si') strings.push('')
      if (event.start === 't' && !isAid) text = ''
      if (event.start === 'rPh' || event.end === 'rPh') isAid = event.start === 'rPh'
      if (event.text !== undefined && text !== undefined) text += event.text
      if (event.end !== 't' || text === undefined) continue
      strings[strings.length - 1] += decodeEscapes(text)
      text = undefined
    }
  return strings
}

/** Decodes `_x000D_`, as the type ST_Xstring writes characters that XML cannot have. */
export const decodeEscapes = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

/** Maximum characters of a number format, as in spreadsheets. Each number is read with it. */
const maxFormatLength = 255

/** Reads the code of the number format of each style of cells. */
export async function readFormats(zip: Zip, part: string | undefined): Promise<string[]> {
  const codes = new Map<number, string>()
  const formats: string[] = []
  let isOfCells = false
  if (part === undefined) return formats
  for await (const events of readXml(zip.read(part)))
    for (const event of events) {
      if (event.start === 'cellXfs' || event.end === 'cellXfs') isOfCells = event.start === 'cellXfs'
      if (event.start === undefined) continue
      const { numFmtId, formatCode = '' } = event.attributes
      const id = Number(numFmtId ?? 0)
      if (formatCode.length > maxFormatLength) throw makeUnreadable('a number format is too long')
      if (event.start === 'numFmt') codes.set(id, formatCode)
      if (event.start === 'xf' && isOfCells) formats.push(codes.get(id) ?? findBuiltIn(id))
    }
  return formats
}
