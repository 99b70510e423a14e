import type { Db } from '../../db/schema.ts'
import { statementCost } from '../../db/templates/meter.ts'
import { findRevision } from '../../db/templates/revisions/revisions.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import { costPerReadCharacter, type FoundTemplate } from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import type { Operation } from './operation.ts'

/** Cost of parsing or hashing a document. */
export const costPerCharacter = 1 / 4096

/** Parses the document of a template; null if it is not a JSON object. */
export function parseData(data: string, operation: Operation): ProductDocument | null {
  operation.spend(data.length * costPerCharacter)
  return parseDocument(data)
}

/** Returns the document of a template. Reads a long one, as it was when the template was found. */
export async function readData(
  { data, id, revision }: FoundTemplate,
  db: Db,
  operation: Operation
): Promise<string> {
  if (data !== null) return data
  operation.spend(statementCost)
  const found = await findRevision(db, id, revision as number)
  if (!found) throw unavailable('the history of a template was deleted while it was read')
  operation.spend(found.data.length * costPerReadCharacter)
  return found.data
}
