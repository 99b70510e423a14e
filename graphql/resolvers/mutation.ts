import { hash } from 'node:crypto'
import { GraphQLError, type GraphQLResolveInfo } from 'graphql'
import { importList } from '../../db/templates/import/list.ts'
import type { IdempotentRequest } from '../../db/templates/revisions/idempotency.ts'
import type { Author } from '../../db/templates/revisions/revisions.ts'
import type { Written } from '../../db/templates/revisions/write.ts'
import {
  createTemplate,
  deleteTemplate,
  refuse,
  restoreTemplate,
  updateTemplate,
  type WriteProblem
} from '../../db/templates/revisions/write.ts'
import type { TemplateValues } from '../../db/templates/table/columns.ts'
import type { Context } from '../execute.ts'
import { countFields } from '../execution/selection.ts'
import { badInput } from '../input/bad-input.ts'
import { toValues, type ValuesInput } from '../input/document-input.ts'
import { resolveSlices } from '../paging.ts'

export interface Arguments {
  id: number
  input: ValuesInput
  revision: number
  expectedRevision?: number | null
  message?: string | null
}

export interface ImportArguments {
  input: ValuesInput[]
  mode: keyof typeof importModes
  message?: string | null
}

const importModes = { CREATE: 'refuse', KEEP: 'keep', REPLACE: 'replace' } as const

export const Mutation = {
  createProduct: mutation(async ({ input }: Arguments, { author, once, context }) => {
    const { problems, values } = toValues(input)
    const create = () =>
      createTemplate(context.store, values as TemplateValues, { author, rules: context.settings, once })
    return toPayload(problems ? refuse(...problems) : await create())
  }),

  updateProduct: mutation(async ({ id, input, expectedRevision }: Arguments, { author, context }) => {
    const { problems, values } = toValues(input, 'change')
    const options = { author, rules: context.settings, expectedRevision: expectedRevision ?? undefined }
    const update = () => updateTemplate(context.store, id, values, options)
    return toPayload(problems ? refuse(...problems) : await update(), ['id', 'expectedRevision'])
  }),

  deleteProduct: mutation(async ({ id, expectedRevision }: Arguments, { author, context }) => {
    const options = { author, expectedRevision: expectedRevision ?? undefined }
    return toPayload(await deleteTemplate(context.store, id, options), ['id', 'expectedRevision'])
  }),

  restoreProduct: mutation(async ({ id, revision }: Arguments, { author, context }) =>
    toPayload(await restoreTemplate(context.store, id, revision, { author }), ['id', 'revision'])
  ),

  importProducts: mutation(async ({ input, mode }: ImportArguments, { author, once, context, info }) => {
    const { store, settings: rules, operation } = context
    const maxImported = rules.importMaxTemplates
    if (input.length > maxImported) throw badInput(`input has more than ${maxImported} templates`)
    // Checked before the mutation writes.
    operation.spendOnItems(input.length, countFields(info))
    const records: object[] = []
    const early: WriteProblem[] = []
    for (const [index, given] of input.entries()) {
      const { values, problems = [] } = toValues(given)
      records.push(values)
      for (const problem of problems) early.push({ ...problem, path: [String(index), ...problem.path] })
      await operation.turn()
    }
    if (early.length > 0) return { ...nothingImported, userErrors: toUserErrors(early) }
    const options = { existing: importModes[mode], author, rules, once }
    const { products, counts, problems, warnings } = await importList(store, records, options)
    return {
      products: resolveSlices(products),
      ...counts,
      userErrors: toUserErrors(problems),
      warnings: toUserErrors(warnings)
    }
  })
}

const nothingImported = { products: [], created: 0, replaced: 0, unchanged: 0, kept: 0, warnings: [] }

/** The parts that a mutation needs to write. */
interface Writing {
  author: Author
  once: IdempotentRequest | undefined
  context: Context
  info: GraphQLResolveInfo
}

/** Characters. */
const maxMessageLength = 1000

/** Makes the resolver of a mutation. It checks the scope here, because only the executor knows which fields run. */
function mutation<Given extends { message?: string | null }, Payload>(
  write: (given: Given, writing: Writing) => Promise<Payload> | Payload
) {
  return async (_root: unknown, given: Given, context: Context, info: GraphQLResolveInfo) => {
    const { caller, operation } = context
    if (!caller.scopes.has('write'))
      throw new GraphQLError('the access token does not have the scope write', {
        extensions: { code: 'FORBIDDEN' }
      })
    const message = given.message ?? null
    checkMessage(message ?? '')
    const { subject, clientId } = caller
    const writing = {
      author: { subject, clientId, message },
      once: toIdempotentRequest(given, context, info),
      context,
      info
    }
    return operation.evaluate(async () => {
      operation.spend(writeCost(given))
      return write(given, writing)
    })
  }
}

/** Cost of a write, per character of its arguments and in any case. */
const costPerWrittenCharacter = 1 / 20
const costOfWriting = 200

const writeCost = (given: object): number =>
  costOfWriting + JSON.stringify(given).length * costPerWrittenCharacter

/** Throws BAD_USER_INPUT for a message that is too long, or that a database cannot store. */
function checkMessage(message: string): void {
  if (message.length > maxMessageLength)
    throw badInput(`message has more than ${maxMessageLength} characters`)
  if (!message.isWellFormed() || message.includes('\0'))
    throw badInput('message must not contain U+0000 or lone surrogates')
}

/** Each field of a request has its own result. */
function toIdempotentRequest(
  given: object,
  { caller }: Context,
  { fieldName, path }: GraphQLResolveInfo
): IdempotentRequest | undefined {
  const { subject, clientId, idempotencyKey } = caller
  if (idempotencyKey === null) return undefined
  return {
    key: hash('sha256', JSON.stringify([clientId, subject, path.key, idempotencyKey])),
    request: hash('sha256', JSON.stringify([fieldName, given]))
  }
}

/** Makes the payload of a write; `others` are the arguments beside `input` that problems may be about. */
function toPayload({ product, problems, warnings }: Written, others: string[] = []) {
  return { product, userErrors: toUserErrors(problems, others), warnings: toUserErrors(warnings, others) }
}

/** Completes the paths of problems: they are in `input`, except problems of other arguments. */
const toUserErrors = <Problem extends { path: string[] }>(problems: Problem[], others: string[] = []) =>
  problems.map(problem => {
    const [field] = problem.path
    const isInside = field !== undefined && !others.includes(field)
    return isInside ? { ...problem, path: ['input', ...problem.path] } : problem
  })
