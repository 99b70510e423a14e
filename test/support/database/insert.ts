import type { Transaction } from '../../../db/schema.ts'
import { insertRows, toRow } from '../../../db/templates/writing/apply.ts'
import type { ProductTemplate } from '../../../domain/columns.ts'

/** Inserts at most 500 templates whose ids are free. Their revisions stay without an author. */
export const insertProductTemplates = (
  transaction: Transaction,
  templates: ProductTemplate[]
): Promise<void> => insertRows(transaction, templates.map(toRow))
