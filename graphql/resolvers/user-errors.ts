/** The user errors of mutations: their codes and paths. */
import { NotAllowed } from '../../db/templates/writing/rights.ts'
import { ArgumentError, StoreError } from '../../runtime/host-errors.ts'

/** Makes user errors of problems. `toPath` converts a path in a template to the path in the arguments. */
export const toUserErrors = <Problem extends { path: string[] }>(
  problems: Problem[],
  toPath: (path: string[], problem: Problem) => string[]
) => problems.map(problem => ({ ...problem, path: toPath(problem.path, problem) }))

/** The user errors of failures of the store, by code. */
const storeErrors: Record<string, object> = {
  PTS_ACCOUNT_EXISTS: { code: 'EXISTS', message: 'the e-mail address or the id is in use', path: ['input'] },
  PTS_LAST_ADMIN: {
    code: 'LAST_ADMIN',
    message: 'this is the last administrator: give somebody else the role admin first',
    path: ['id']
  }
}

/**
 * Makes user errors of a mistake or a missing right of the caller. Throws all other errors. `args` are the arguments of
 * the mutation.
 */
export function toUserErrorsOfFailure(error: unknown, args: object) {
  const toPath = (name: string) => (Object.hasOwn(args, name) ? [name] : ['input', name])
  if (error instanceof StoreError) {
    const message = `there is no ${error.kind} with this id`
    return [storeErrors[error.code] ?? { code: 'NOT_FOUND', message, path: toPath('id') }]
  }
  if (error instanceof NotAllowed) return [{ code: error.reason, message: error.message, path: [] }]
  if (!(error instanceof ArgumentError)) throw error
  return error.problems.map(({ name, message }) => ({
    code: 'INVALID',
    message,
    path: name === undefined ? [] : toPath(name)
  }))
}

/** The fields of an input that give or change the document. */
const documentFields = ['data', 'document', 'setTraits', 'removeTraits']

/**
 * Returns the path of a field in an input. A problem of the document gets the path of the field that gives or changes
 * the document. If a change has no such field, it gets that of `componentName`, which says what a document needs.
 */
export function toInputPath(
  input: { [name: string]: unknown },
  path: string[],
  purpose: 'new' | 'change' = 'new'
): string[] {
  if (path[0] !== 'data') return path
  const given = documentFields.find(name => input[name] != null && !isEmptyList(input[name]))
  return [given ?? (purpose === 'new' ? 'data' : 'componentName'), ...path.slice(1)]
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
