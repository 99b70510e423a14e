import { array, define, oneOf, optional } from 'decoders'
import type { FastifyRequest } from 'fastify'
import { rights } from '../db/accounts/roles.ts'
import { isName, maxNameLength } from '../db/text.ts'
import { anyObject, type Shaped } from '../validator.ts'

const name = define<string>((value, ok, err) => (isName(value) ? ok(value) : err('')))
const nameOf = (size: string) => `a text of ${size} ${maxNameLength} characters without U+0000`

/** Who sends a request, as the host knows it. */
export const HostCaller = {
  /** Recorded in revisions. */
  subject: name.refine(text => text !== '', '').describe(nameOf('1 to')),
  scopes: array(oneOf([...rights])).describe(`an array of some of ${rights.join(', ')}`),
  /** Shown in the history of templates. */
  name: optional(name).describe(nameOf('at most')),
  /** The templates that they see and write; all by default. */
  where: optional(anyObject).describe('a filter, as in the API')
}
export type HostCaller = Shaped<typeof HostCaller>

/** Tells who sends a request; undefined or null: nobody whom the host knows, so the response is 401. */
export type Authenticate = (request: FastifyRequest) => Found | Promise<Found>

type Found = HostCaller | null | undefined
