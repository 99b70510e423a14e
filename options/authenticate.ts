/** This is not in `host.ts`, so that the help of the command does not load `decoders`. */
import { array, define, oneOf } from 'decoders'
import type { FastifyRequest } from 'fastify'
import { rights } from '../domain/rights.ts'
import { isName, maxNameLength } from '../domain/text.ts'
import { anyObject, optional, type Shaped } from '../runtime/validator.ts'

const name = define<string>((value, ok, err) => (isName(value) ? ok(value) : err('')))
const nameOf = (size: string) => `a text of ${size} ${maxNameLength} characters without U+0000`

/** The sender of a request, as the host authenticates it. */
export const HostCaller = {
  /** Recorded in revisions. */
  subject: name.refine(text => text !== '', '').describe(nameOf('1 to')),
  /** The rights of the sender, of which none includes another. `publish` is a right, but no OAuth scope. */
  scopes: array(oneOf([...rights])).describe(`an array of some of ${rights.join(', ')}`),
  /** Shown in the history of templates. */
  name: optional(name).describe(nameOf('at most')),
  /** The templates that the caller may see and write; all by default. */
  where: optional(anyObject).describe('a filter, as in the API')
}
export type HostCaller = Shaped<typeof HostCaller>

/** Finds the sender of a request. For undefined or null, the response is 401. */
export type Authenticate = (request: FastifyRequest) => Authenticated | Promise<Authenticated>

type Authenticated = HostCaller | null | undefined
