import { GraphQLResponseError } from '../../packages/client/index.ts'
import type { UserError } from '../../packages/client/schema.ts'
import { describeFailure } from '../api.ts'
import { write } from '../requests.ts'
import { isRefused } from './access.ts'

type Problem = Pick<UserError, 'code' | 'message' | 'path'>

/** The payload of an administration mutation. */
type Payload<Result> = Partial<Result> & { userErrors: Problem[] }

/** The result of a mutation, or the reasons why it failed. */
type MutationResult<Result> = { problems: string[]; result?: Partial<Result> }

/**
 * Runs a mutation. `input` has the type and the value of each argument, `fields` is what to read of the result. Never
 * retries it, because a link or a secret is returned only once.
 */
export async function runMutation<Result>(
  name: string,
  input: Record<string, [type: string, value: unknown]>,
  fields = ''
): Promise<MutationResult<Result>> {
  const types = Object.entries(input).map(([argument, [type]]) => `$${argument}: ${type}`)
  const given = Object.keys(input).map(argument => `${argument}: $${argument}`)
  const values = Object.entries(input).map(([argument, [, value]]) => [argument, value])
  try {
    const { payload } = await write<{ payload: Payload<Result> }>(
      `mutation ${name}(${types}) { payload: ${name}(${given}) { ${fields} userErrors { code message path } } }`,
      Object.fromEntries(values)
    )
    const { userErrors, ...result } = payload
    return { problems: userErrors.map(describeProblem), result: result as Partial<Result> }
  } catch (error) {
    return { problems: [describeError(error)] }
  }
}

/** Waits for a mutation, calls `next` if it succeeded, and returns its problems. */
export async function finish(job: Promise<MutationResult<object>>, next: () => void): Promise<string[]> {
  const { problems } = await job
  if (problems.length === 0) next()
  return problems
}

const messages: Record<string, string> = {
  EXISTS: 'This e-mail address or id is already in use.',
  NOT_FOUND: 'This does not exist any more: somebody has deleted it in the meantime.',
  LAST_ADMIN: 'This is the last administrator. First make somebody else an administrator.'
}

const fieldNames: Record<string, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  where: 'Rule',
  id: 'Id',
  country: 'Country',
  mobile: 'Mobile number',
  wallets: 'Wallets',
  displayName: 'Name',
  grantTypes: 'Grants',
  scopes: 'Scopes',
  redirectUris: 'Redirect URIs'
}

/** Describes a user error in plain words. For most values, only the sentence of the service says what is wrong. */
function describeProblem({ code, message, path }: Problem): string {
  if (messages[code] !== undefined) return messages[code]
  const field = fieldNames[path.at(-1) ?? '']
  return field === undefined ? toSentence(message) : `${field}: ${message}.`
}

/** Describes why a request failed. */
function describeError(error: unknown): string {
  if (isRefused(error)) return 'You are not an administrator any more. Nothing was changed.'
  return error instanceof GraphQLResponseError ? toSentence(error.message) : describeFailure(error)
}

const toSentence = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? '' : '.')
}
