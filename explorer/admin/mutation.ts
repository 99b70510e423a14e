import { GraphQLResponseError } from '../../packages/client/index.ts'
import type { UserError } from '../../packages/client/schema.ts'
import { isLoginMissing } from '../api.ts'
import { write } from '../requests.ts'
import { isRefused } from './access.ts'

type Problem = Pick<UserError, 'code' | 'message' | 'path'>

/** The payload of an administration mutation. */
type Payload<Result> = Partial<Result> & { userErrors: Problem[] }

/** The result of a mutation, or the reasons why it failed. */
type MutationResult<Result> = { problems: string[]; result?: Partial<Result> }

/** Runs a mutation with one field. Never retries it, because a link or a secret is returned only once. */
export async function runMutation<Result>(
  mutation: string,
  variables: object
): Promise<MutationResult<Result>> {
  try {
    const data = await write<Record<string, Payload<Result>>>(mutation, variables)
    const [{ userErrors, ...result }] = Object.values(data) as [Payload<Result>]
    return { problems: userErrors.map(describeProblem), result: result as Partial<Result> }
  } catch (error) {
    return { problems: [describeFailure(error)] }
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
  firstName: 'The first name',
  lastName: 'The last name',
  email: 'The e-mail address',
  where: 'The rule',
  id: 'The id',
  country: 'The country',
  mobile: 'The mobile number',
  wallets: 'The list of wallets',
  displayName: 'The name',
  grantTypes: 'The list of grants',
  scopes: 'The list of scopes',
  redirectUris: 'The list of redirect URIs'
}

/** Describes a user error in plain words. */
function describeProblem({ code, message, path }: Problem): string {
  if (messages[code] !== undefined) return messages[code]
  const field = path.at(-1) ?? ''
  return toSentence(message.replace(`${field} `, `${fieldNames[field] ?? field} `))
}

/** Describes why a request failed. */
function describeFailure(error: unknown): string {
  if (isLoginMissing(error)) return 'Your login has ended. Nothing was changed.'
  if (isRefused(error)) return 'You are not an administrator any more. Nothing was changed.'
  if (!(error instanceof GraphQLResponseError))
    return 'The service did not answer. Check whether the change was made before you try again.'
  // For an invalid rule, the message quotes the whole value first. Only the reason at its end is shown.
  return toSentence(
    error.message.replace(/^Variable .* got invalid value .*?; (?=Field|Expected|\w+ cannot)/s, '')
  )
}

const toSentence = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? '' : '.')
}
