import type { FilterInput } from '../../db/templates/filter/filter.ts'
import { findMatchingIds } from '../../db/templates/read/list.ts'
import {
  type BulkWriteResult,
  deleteTemplates,
  refuseBulkWrite,
  restoreTemplates,
  updateTemplates
} from '../../db/templates/writing/bulk-write.ts'
import type { Restoration } from '../../db/templates/writing/restore.ts'
import type { Author } from '../../db/templates/writing/rights.ts'
import { badInput } from '../errors.ts'
import type { CallerContext } from '../fields.ts'
import { toNodeId } from '../relay.ts'
import { toInputPath, toUserErrors } from './user-errors.ts'
import {
  abortUntilCommit,
  bulkMutation,
  type MutationArguments,
  maxWritten,
  toValues,
  type ValuesInput
} from './writing.ts'

export interface BulkArguments extends MutationArguments {
  ids?: number[] | null
  where?: FilterInput | null
  expectedCount?: number | null
}

export interface BulkUpdateArguments extends BulkArguments {
  change: ValuesInput & {
    setTraits: { traitType: string; value?: unknown }[]
    removeTraits: string[]
  }
}

export interface BulkRestoreArguments extends MutationArguments {
  input: Restoration[]
}

/** Traits of a change. Each document is searched for each of them. */
const maxTraits = 100

export const updateProducts = bulkMutation(
  async (args: BulkUpdateArguments, { author, validation }, context) => {
    const { setTraits: set, removeTraits: remove, ...input } = args.change
    checkTraits(set.map(({ traitType }) => traitType).concat(remove))
    const { problems, values } = toValues(input, 'change')
    if (problems) return toBulkPayload(refuseBulkWrite(problems), toBulkPath(args))
    const ids = await findIds(args, context)
    const options = { ...toBulkOptions(args, author, context), validation }
    const result = await updateTemplates(context.writeDb, ids, { values, traits: { set, remove } }, options)
    return toBulkPayload(result, toBulkPath(args))
  }
)

export const deleteProducts = bulkMutation(async (args: BulkArguments, { author }, context) => {
  const ids = await findIds(args, context)
  return toBulkPayload(
    await deleteTemplates(context.writeDb, ids, toBulkOptions(args, author, context)),
    toBulkPath(args)
  )
})

export const restoreProducts = bulkMutation(async ({ input }: BulkRestoreArguments, { author }, context) => {
  checkNumber(input.length)
  if (new Set(input.map(({ id }) => id)).size < input.length) throw badInput('input names a template twice')
  const result = await restoreTemplates(context.writeDb, input, toBulkOptions({}, author, context))
  const findIndex = (id: number) => String(input.findIndex(each => each.id === id))
  return toBulkPayload(result, (path, { id }) => [
    'input',
    ...(id === undefined ? [] : [findIndex(id)]),
    ...path
  ])
})

/** Makes the path of a problem in the arguments of a change or deletion. */
const toBulkPath =
  ({ ids, change }: BulkArguments & Partial<BulkUpdateArguments>) =>
  (path: string[], { id }: { id?: number }): string[] => {
    const [field] = path
    // A filter may find a template that is deleted before it is locked.
    if (field === 'id') return ids && id !== undefined ? ['ids', String(ids.indexOf(id))] : ['where']
    if (field === undefined || field === 'expectedCount') return path
    return ['change', ...toInputPath({ ...change }, path, 'change')]
  }

const toBulkOptions = ({ where, expectedCount }: BulkArguments, author: Author, context: CallerContext) => ({
  author,
  where,
  expectedCount,
  ...abortUntilCommit(context)
})

/** Finds the templates that a mutation writes. Throws BAD_USER_INPUT. */
async function findIds({ ids, where }: BulkArguments, context: CallerContext): Promise<number[]> {
  if ((ids == null) === (where == null)) throw badInput('give either ids or where')
  const { reader, rule, lifetime } = context
  const filter = { where: where as FilterInput, rule }
  const selectedIds = ids ?? (await findMatchingIds(reader.db, filter, maxWritten, lifetime.signal))
  checkNumber(selectedIds.length)
  return selectedIds
}

/** Throws BAD_USER_INPUT if the templates are too many. */
function checkNumber(templates: number): void {
  if (templates > maxWritten) throw badInput(`the mutation selects more than ${maxWritten} templates`)
}

function checkTraits(names: string[]): void {
  if (names.length > maxTraits) throw badInput(`change has more than ${maxTraits} traits`)
  if (new Set(names).size < names.length) throw badInput('change names a trait twice')
}

/** The field of a written revision, or of a problem, that has another name in the schema. */
export const templateReference = { templateId: ({ id }: { id?: number | null }) => id }

const toBulkPayload = (
  { count, written, problems, warnings }: BulkWriteResult,
  toPath: (path: string[], problem: { id?: number }) => string[]
) => ({
  count,
  written,
  deletedNodeIds: written.map(({ id }) => toNodeId('ProductTemplate', id)),
  userErrors: toUserErrors(problems, toPath),
  warnings: toUserErrors(warnings, toPath)
})
