import type { PinnedTemplate } from '../db/templates/revisions/revisions.ts'
import type { Written } from '../db/templates/revisions/write.ts'
import type { Context } from './context.ts'

/** Something that the caller can correct; `path` is a place in the arguments. */
export interface UserError {
  code: string
  message: string
  path: string[]
  pointer: string | null
  currentRevision?: number
}

/** What the payload types of a single template have. */
export interface Payload {
  product: PinnedTemplate | null
  userErrors: UserError[]
  warnings: UserError[]
}

/** Makes the payload of a write; `others` are the arguments beside `input` that problems may be about. */
export function toPayload(
  { product, problems, warnings }: Written,
  { operation }: Context,
  others: string[] = []
): Payload {
  if (product) operation.countText([product])
  return { product, userErrors: toUserErrors(problems, others), warnings: toUserErrors(warnings, others) }
}

/** Completes the places of problems: all but those of other arguments are in `input`. */
export const toUserErrors = (problems: UserError[], others: string[] = []): UserError[] =>
  problems.map(({ path, ...problem }) => {
    const [field] = path
    const isInside = field !== undefined && !others.includes(field)
    return { ...problem, path: isInside ? ['input', ...path] : path }
  })
