import { importList } from '../../db/templates/import/import.ts'
import type { ImportRecord, Problem } from '../../db/templates/import/report.ts'
import type { TemplateWithRevision } from '../../db/templates/product-templates.ts'
import { defaultOrder } from '../../db/templates/read/order.ts'
import { refuse, toWriteResult, type WriteResult } from '../../db/templates/writing/decisions.ts'
import {
  createTemplate,
  deleteTemplate,
  restoreTemplate,
  updateTemplate
} from '../../db/templates/writing/write.ts'
import type { TemplateValues } from '../../domain/columns.ts'
import { yieldToEventLoop } from '../../runtime/event-loop.ts'
import { diffCost } from '../admission/unit-costs.ts'
import { cacheableField } from '../fields.ts'
import { toCursor, toNodeId } from '../relay.ts'
import { deleteProducts, restoreProducts, updateProducts } from './bulk-mutations.ts'
import { compareRevisions } from './revisions.ts'
import { toInputPath, toUserErrors } from './user-errors.ts'
import {
  abortUntilCommit,
  bulkMutation,
  type MutationArguments,
  templateMutation,
  toValues,
  type ValuesInput
} from './writing.ts'

/** The arguments of the mutations of one template. Each mutation has some of them. */
export interface WriteArguments extends MutationArguments {
  id: number
  input: ValuesInput
  /** The revision to restore. */
  revision: number
  expectedRevision?: number | null
  dryRun: boolean
}

export interface ImportArguments extends MutationArguments {
  input: (ValuesInput & { id?: number | null; expectedRevision?: number | null })[]
  mode: keyof typeof importModes
  dryRun: boolean
}

const importModes = { CREATE: 'refuse', KEEP: 'keep', REPLACE: 'replace' } as const

export const Mutation = {
  createProduct: templateMutation(
    async ({ input, dryRun }: WriteArguments, { author, validation, once }, { writeDb }) => {
      const { problems, values } = toValues(input)
      const options = { author, validation, ...(dryRun ? { dryRun } : { once }) }
      const create = () => createTemplate(writeDb, values as TemplateValues, options)
      return toPayload(
        problems ? toWriteResult(refuse(...problems)) : await create(),
        toWritePath(input, 'new')
      )
    }
  ),

  updateProduct: templateMutation(async (args: WriteArguments, { author, validation }, { writeDb }) => {
    const { id, input, expectedRevision, dryRun } = args
    const { problems, values } = toValues(input, 'change')
    const update = () => updateTemplate(writeDb, id, values, { author, validation, expectedRevision, dryRun })
    return toPayload(
      problems ? toWriteResult(refuse(...problems)) : await update(),
      toWritePath(input, 'change')
    )
  }),

  deleteProduct: templateMutation(
    async ({ id, expectedRevision, dryRun }: WriteArguments, { author }, { writeDb }) => {
      const result = await deleteTemplate(writeDb, id, { author, expectedRevision, dryRun })
      return toPayload(result)
    }
  ),

  restoreProduct: templateMutation(async (args: WriteArguments, { author }, { writeDb }) => {
    const { id, revision, expectedRevision, dryRun } = args
    const result = await restoreTemplate(writeDb, id, revision, { author, expectedRevision, dryRun })
    return toPayload(result)
  }),

  updateProducts,
  deleteProducts,
  restoreProducts,

  importProducts: bulkMutation(async ({ input, mode, dryRun }: ImportArguments, write, context) => {
    const records: Omit<ImportRecord, 'place'>[] = []
    for (const { expectedRevision, ...values } of input) {
      records.push({ ...toValues(values), expectedRevision })
      await yieldToEventLoop()
    }
    const options = {
      existing: importModes[mode],
      ...write,
      dryRun,
      ...abortUntilCommit(context)
    }
    const { products, counts, problems, warnings } = await importList(context.writeDb, records, options)
    return {
      products,
      ...counts,
      userErrors: toImportErrors(problems, input),
      warnings: toImportErrors(warnings, input)
    }
  })
}

/** Makes user errors of problems. The path of an error has the template's position; one of the request has no path. */
const toImportErrors = (problems: Problem[], input: ImportArguments['input']) =>
  problems.map(({ path: [index, ...path], ...problem }) => {
    if (index === undefined) return { ...problem, path: [] }
    const values = { ...input[Number(index)] }
    return { ...problem, id: values.id, path: ['input', index, ...toInputPath(values, path)] }
  })

/** Makes the path of a problem in the arguments of a write with an `input`. */
const toWritePath =
  (input: ValuesInput, purpose: 'new' | 'change') =>
  (path: string[]): string[] => {
    const [field] = path
    const isArgument = field === 'expectedRevision' || (field === 'id' && purpose === 'change')
    return field === undefined || isArgument ? path : ['input', ...toInputPath({ ...input }, path, purpose)]
  }

/** Makes the payload of a write. `toPath` is for writes with an `input`: other problems have paths of arguments. */
function toPayload(
  { product, before, problems, warnings, isDryRun = false }: WriteResult,
  toPath = (path: string[]) => path
) {
  const written = problems.length === 0 && !isDryRun ? product : null
  return {
    product,
    before,
    productEdge: written && {
      cursor: toCursor(defaultOrder, { key: written.timeModified, id: written.id }),
      node: written
    },
    deletedNodeId: written && toNodeId('ProductTemplate', written.id),
    userErrors: toUserErrors(problems, toPath),
    warnings: toUserErrors(warnings, toPath)
  }
}

/** The payload of a write that may have replaced another state. */
export const ChangingPayload = {
  diff: cacheableField(
    { ownCost: () => diffCost },
    ({ before, product }: { before?: TemplateWithRevision; product?: TemplateWithRevision | null }) =>
      before && product ? compareRevisions(before, product) : null
  )
}
