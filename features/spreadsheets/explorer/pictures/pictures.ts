/** Links pictures that are imported with a table: a cell may have a file name instead of a link. */

import { makeProblem, type Problem } from '../../../../domain/validation/problem.ts'
import { isLink } from '../../notations/normalize.ts'
import { unguardCell } from '../../tables/cell.ts'
import type { MappedColumn } from '../../tables/mapping.ts'
import type { TableRow } from '../../tables/table.ts'
import { nameFile, nameOfPicture, type Pictures } from './chosen-pictures.ts'

/** The service's maximum size of a picture, in bytes. */
const maxSize = 10 * 2 ** 20

const photo = /photo|image|picture|bild|foto|imagen/i

/** Returns the columns that may name pictures. */
export const findPictureColumns = (columns: MappedColumn[]): MappedColumn[] =>
  columns.filter(
    ({ kind, name, header, as }) => kind !== 'field' && (as === 'picture' || photo.test(`${name} ${header}`))
  )

/** Returns the picture file that a cell names; undefined if there is none. */
export function pictureIn(cell = ''): string | undefined {
  const text = unguardCell(cell).trim()
  return isLink(text) ? undefined : nameOfPicture(text)
}

/** A row with links instead of file names, and these names. */
interface LinkedRow {
  original: TableRow
  row: TableRow
  names: string[]
  problems: Problem[]
}

/** Replaces file names with links. A picture that is not uploaded yet gets a link with its file name. */
export function linkPictures(row: TableRow, columns: MappedColumn[], pictures: Pictures): LinkedRow {
  const linked: LinkedRow = { original: row, row, names: [], problems: [] }
  for (const { index, header } of columns) {
    const name = pictureIn(row.cells[index])
    if (name === undefined) continue
    const picture = pictures.get(name)
    const shown = nameFile(row.cells[index] ?? '')
    const refuse = (message: string) =>
      linked.problems.push(makeProblem('WRONG_TYPE', message, 'data', header))
    if (!picture) refuse(`no file ${shown} was chosen`)
    else if (picture.file.size > maxSize) refuse(`the file ${shown} has more than 10 MiB`)
    const link = picture?.link ?? `upload:${encodeURIComponent(shown)}`
    linked.row = { ...row, cells: linked.row.cells.with(index, link) }
    linked.names.push(name)
  }
  return linked
}
