import type { Db } from '../../db/schema.ts'
import { statementCost } from '../../db/templates/meter.ts'
import { findRevision } from '../../db/templates/revisions/revisions.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import { costPerReadCharacter, type FoundTemplate } from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import type { Operation } from './operation.ts'

/** Cost of parsing or hashing a document. */
export const costPerCharacter = 1 / 4096

export type Documents = ReturnType<typeof createDocuments>

/** Reads the documents of an operation. Aliases are completed one after another, so the last document serves them all. */
export function createDocuments(operation: Operation, db: Db) {
  let last: { template: FoundTemplate; data: string } | undefined
  let parsed: { data: string; document: ProductDocument | null } | undefined
  return {
    parse(data: string): ProductDocument | null {
      if (parsed?.data !== data) {
        operation.spend(data.length * costPerCharacter)
        parsed = { data, document: parseDocument(data) }
      }
      return parsed.document
    },

    /** Returns the document of a template. Reads a long one, as it was when the template was found. */
    async read(template: FoundTemplate): Promise<string> {
      if (template.data !== null) return template.data
      if (last?.template !== template) {
        operation.spend(statementCost)
        const found = await findRevision(db, template.id, template.revision as number)
        if (!found) throw unavailable('the history of a template was deleted while it was read')
        operation.spend(found.data.length * costPerReadCharacter)
        last = { template, data: found.data }
      }
      return last.data
    }
  }
}
