import type { ProductTemplate } from '../../../db/templates/table/product-templates.ts'
import { guardCell, writeText } from './cell.ts'
import type { Column } from './columns.ts'
import { DocumentCells, parseDocument } from './document.ts'

/** Writes the cells of a template. */
export function writeRow(template: ProductTemplate, columns: Column[]): string[] {
  const document = new DocumentCells(parseDocument(template.data) ?? {})
  return columns.map(({ kind, name }) => guardCell(writeCell(template, document, kind, name)))
}

function writeCell(
  template: ProductTemplate,
  document: DocumentCells,
  kind: Column['kind'],
  name: string
): string {
  if (kind === 'key') return document.writeKey(name)
  if (kind === 'trait') return document.writeTrait(name)
  const value = template[name as keyof ProductTemplate]
  return typeof value === 'string' && name !== 'data' ? writeText(value) : String(value)
}
