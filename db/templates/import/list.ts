import type { Db, Transaction } from '../../schema.ts'
import { transact, transactOrUndo } from '../../transaction.ts'
import { takeTurn } from '../meter.ts'
import { findWholeTemplate, type PinnedTemplate } from '../table/product-templates.ts'
import { type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { type IdempotentRequest, keyReused, runOnce } from '../writing/idempotency.ts'
import type { Author } from '../writing/rights.ts'
import { type ImportResult, importInto, type Problem } from './import.ts'
import type { ImportOptions, ImportRecord } from './report.ts'

/** The result of an import of a list. If there are problems, nothing was imported. */
interface ImportedList {
  /** The templates in the order of the list. */
  products: PinnedTemplate[]
  counts: { created: number } & Pick<ImportResult, 'replaced' | 'unchanged' | 'kept'>
  problems: Problem[]
  warnings: Problem[]
}

interface ListOptions {
  existing: NonNullable<ImportOptions['existing']>
  author: Author
  rules: ValidationOptions
  once?: IdempotentRequest | undefined
}

/** Imports a list of records: all or none. */
export async function importList(
  db: Db,
  records: Omit<ImportRecord, 'place'>[],
  { existing, author, rules, once }: ListOptions
): Promise<ImportedList> {
  const validate = (template: object) => validateTemplate(template, rules)
  const given = records.map(record => ({ ...record, place: undefined }))
  const options = { existing, author, validate, onProblem: 'report', withIds: true } as const
  const run = async (transaction: Transaction) => {
    const result = await importInto(transaction, given, options)
    return result.written ? finish(transaction, result) : refuse(toProblems(result, false))
  }
  const hasProblems = ({ problems }: ImportedList) => problems.length > 0
  // What a refused import has written is undone before `runOnce` looks whether the same request was sent twice at once.
  const job = (transaction: Transaction) =>
    runOnce(transaction, once, refuse([keyReused]), () => transactOrUndo(transaction, run, hasProblems))
  return transact(db, job, 'read committed')
}

/** Reads the templates, which are locked. */
async function finish(transaction: Transaction, result: ImportResult): Promise<ImportedList> {
  const products: PinnedTemplate[] = []
  for (const id of result.ids) {
    products.push((await findWholeTemplate(transaction, id)) as PinnedTemplate)
    await takeTurn()
  }
  const { inserted: created, replaced, unchanged, kept } = result
  const counts = { created, replaced, unchanged, kept }
  return { products, counts, problems: [], warnings: toProblems(result, true) }
}

const refuse = (problems: Problem[]): ImportedList => ({
  products: [],
  counts: { created: 0, replaced: 0, unchanged: 0, kept: 0 },
  problems,
  warnings: []
})

/** Lists the problems, or the warnings. The path of each begins with the position of its record. */
const toProblems = ({ problems }: ImportResult, warnings: boolean): Problem[] =>
  problems
    .filter(({ warning }) => warning === warnings)
    .map(problem => ({ ...problem, path: [String(problem.index), ...problem.path] }))
