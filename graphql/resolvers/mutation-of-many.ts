import type { FilterInput } from '../../db/templates/filter/filter.ts'
import { findMatchingIds } from '../../db/templates/read/list.ts'
import type { Restoration } from '../../db/templates/writing/restore.ts'
import {
  deleteTemplates,
  refuseMany,
  restoreTemplates,
  updateTemplates,
  type WriteManyResult
} from '../../db/templates/writing/write-many.ts'
import { badInput } from '../errors.ts'
import { toNodeId } from '../relay.ts'
import {
  abortUntilCommit,
  type MutationContext,
  maxWritten,
  mutationOfMany,
  toUserErrors,
  toValues,
  type ValuesInput
} from './writing.ts'

export interface ManyArguments {
  ids?: number[] | null
  where?: FilterInput | null
  expectedCount?: number | null
  message?: string | null
  bulkChange?: string | null
}

export interface UpdateManyArguments extends ManyArguments {
  change: ValuesInput & {
    setTraits: { traitType: string; value?: unknown }[]
    removeTraits: string[]
  }
}

export interface RestoreManyArguments {
  input: Restoration[]
  message?: string | null
  bulkChange?: string | null
}

/** Traits of a change. Each document is searched for each of them. */
const maxTraits = 100

export const updateProducts = mutationOfMany(async (args: UpdateManyArguments, context) => {
  const { writeDb, validation } = context
  const { setTraits: set, removeTraits: remove, ...input } = args.change
  checkTraits(set.map(({ traitType }) => traitType).concat(remove))
  const { problems, values } = toValues(input, 'change')
  if (problems) return toManyPayload(refuseMany(problems))
  const ids = await findIds(args, context)
  const options = { ...toManyOptions(args, context), validation }
  return toManyPayload(await updateTemplates(writeDb, ids, { values, traits: { set, remove } }, options))
})

export const deleteProducts = mutationOfMany(async (args: ManyArguments, context) => {
  const ids = await findIds(args, context)
  return toManyPayload(await deleteTemplates(context.writeDb, ids, toManyOptions(args, context)))
})

export const restoreProducts = mutationOfMany(async ({ input }: RestoreManyArguments, context) => {
  checkNumber(input.length)
  if (new Set(input.map(({ id }) => id)).size < input.length) throw badInput('input names a template twice')
  return toManyPayload(await restoreTemplates(context.writeDb, input, toManyOptions({}, context)))
})

const toManyOptions = ({ where, expectedCount }: ManyArguments, { author, operation }: MutationContext) => ({
  author,
  where,
  expectedCount,
  ...abortUntilCommit(operation)
})

/** Finds the templates that a mutation writes. Throws BAD_USER_INPUT. */
async function findIds({ ids, where }: ManyArguments, context: MutationContext): Promise<number[]> {
  if ((ids == null) === (where == null)) throw badInput('give either ids or where')
  const { author, operation } = context
  const filter = { where: where as FilterInput, rule: author.rule }
  const found = ids ?? (await findMatchingIds(operation.reader.db, filter, maxWritten, operation.signal))
  checkNumber(found.length)
  return found
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
export const templateReference = { templateId: ({ id }: { id?: number }) => id }

const toManyPayload = ({ count, written, problems, warnings }: WriteManyResult) => ({
  count,
  written,
  deletedNodeIds: written.map(({ id }) => toNodeId('ProductTemplate', id)),
  userErrors: toUserErrors(problems, ['id', 'revision', 'expectedRevision', 'expectedCount'], 'change'),
  warnings: toUserErrors(warnings, [], 'change')
})
