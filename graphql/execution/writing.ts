import { hash } from 'node:crypto'
import type { GraphQLResolveInfo } from 'graphql'
import { NotAllowed } from '../../db/templates/revisions/apply.ts'
import type { IdempotentRequest } from '../../db/templates/revisions/idempotency.ts'
import type { Author } from '../../db/templates/revisions/revisions.ts'
import { badInput, forbidden } from '../errors.ts'
import type { Context } from '../execute.ts'

/** The parts that a mutation needs to write. */
export interface Writing {
  author: Author
  once: IdempotentRequest | undefined
  context: Context
  info: GraphQLResolveInfo
}

/** Characters. */
const maxMessageLength = 1000

/** Makes the resolver of a mutation. It checks the scope here, because only the executor knows which fields run. */
export function mutation<Given extends { message?: string | null }, Payload>(
  write: (given: Given, writing: Writing) => Promise<Payload> | Payload
) {
  return async (_root: unknown, given: Given, context: Context, info: GraphQLResolveInfo) => {
    const { caller, operation } = context
    if (!caller.scopes.has('write')) throw forbidden('the access token does not have the scope write')
    const message = given.message ?? null
    checkMessage(message ?? '')
    const { subject, clientId, name, mayPublish, rule } = caller
    const writing = {
      author: { subject, clientId, name, message, mayPublish, rule },
      once: toIdempotentRequest(given, context, info),
      context,
      info
    }
    return operation.evaluate(async () => {
      operation.spend(writeCost(given))
      try {
        return await write(given, writing)
      } catch (error) {
        throw error instanceof NotAllowed ? forbidden(error.message) : error
      }
    })
  }
}

/** Cost of a write, per character of its arguments and in any case. */
const costPerWrittenCharacter = 1 / 20
const costOfWriting = 200

export const writeCost = (given: object): number =>
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
  const { subject, clientId, idempotencyKey, rule } = caller
  if (idempotencyKey === null) return undefined
  return {
    key: hash('sha256', JSON.stringify([clientId, subject, path.key, idempotencyKey])),
    // The result may have templates that another rule does not permit.
    request: hash('sha256', JSON.stringify([fieldName, given, ...(rule ? [rule.text] : [])]))
  }
}

/**
 * Completes the paths of problems: they are in the argument `within`, except problems of `others`, which are arguments
 * themselves.
 */
export const toUserErrors = <Problem extends { path: string[] }>(
  problems: Problem[],
  others: string[] = [],
  within = 'input'
) =>
  problems.map(problem => {
    const [field] = problem.path
    const isInside = field !== undefined && !others.includes(field)
    return isInside ? { ...problem, path: [within, ...problem.path] } : problem
  })
