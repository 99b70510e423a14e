import type { FilterInput } from '../../db/templates/filter/filter.ts'
import { findMatches } from '../../db/templates/read/list.ts'
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
  type MutationContext,
  mutationOfMany,
  toUserErrors,
  toValues,
  untilReady,
  type ValuesInput
} from './writing.ts'

export interface ManyArguments {
  ids?: number[] | null
  where?: FilterInput | null
  expectedCount?: number | null
  message?: string | null
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
}

/** Maximum number of templates that a mutation writes. */
const maxWritten = 10_000
/** Traits of a change. Each document is searched for each of them. */
const maxTraits = 100

export const updateProducts = mutationOfMany(async (given: UpdateManyArguments, writing) => {
  const { store, settings: checks } = writing
  const { setTraits: set, removeTraits: remove, ...input } = given.change
  checkTraits(set.map(({ traitType }) => traitType).concat(remove))
  const { problems, values } = toValues(input, 'change')
  if (problems) return toManyPayload(refuseMany(problems))
  const ids = await choose(given, writing)
  const options = { ...toManyOptions(given, writing), checks }
  return toManyPayload(await updateTemplates(store, ids, { values, traits: { set, remove } }, options))
})

export const deleteProducts = mutationOfMany(async (given: ManyArguments, writing) => {
  const ids = await choose(given, writing)
  return toManyPayload(await deleteTemplates(writing.store, ids, toManyOptions(given, writing)))
})

export const restoreProducts = mutationOfMany(async ({ input }: RestoreManyArguments, writing) => {
  checkNumber(input.length)
  if (new Set(input.map(({ id }) => id)).size < input.length) throw badInput('input names a template twice')
  return toManyPayload(await restoreTemplates(writing.store, input, toManyOptions({}, writing)))
})

const toManyOptions = ({ where, expectedCount }: ManyArguments, { author, context }: MutationContext) => ({
  author,
  where,
  expectedCount,
  ...untilReady(context)
})

/** Finds the templates that a mutation writes. Throws BAD_USER_INPUT. */
async function choose({ ids, where }: ManyArguments, writing: MutationContext): Promise<number[]> {
  if ((ids == null) === (where == null)) throw badInput('give either ids or where')
  const { context } = writing
  const wanted = { where: where as FilterInput, rule: writing.author.rule }
  const find = () => findMatches(context.reader.db, wanted, maxWritten, context.signal)
  const chosen = ids ?? (await find())
  checkNumber(chosen.length)
  return chosen
}

/** Throws BAD_USER_INPUT if the templates are too many. */
function checkNumber(templates: number): void {
  if (templates > maxWritten) throw badInput(`the mutation selects more than ${maxWritten} templates`)
}

function checkTraits(names: string[]): void {
  if (names.length > maxTraits) throw badInput(`change has more than ${maxTraits} traits`)
  if (new Set(names).size < names.length) throw badInput('change names a trait twice')
}

/** The fields of a written revision, or of a problem, that have another name in the schema. */
export const OfTemplate = { templateId: ({ id }: { id?: number }) => id }

const toManyPayload = ({ count, written, problems, warnings }: WriteManyResult) => ({
  count,
  written,
  deletedNodeIds: written.map(({ id }) => toNodeId('ProductTemplate', id)),
  userErrors: toUserErrors(problems, ['id', 'revision', 'expectedRevision', 'expectedCount'], 'change'),
  warnings: toUserErrors(warnings, [], 'change')
})
