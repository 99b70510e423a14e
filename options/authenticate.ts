import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { rights } from '../db/accounts/roles.ts'

/** Characters of a subject and of a name. */
const maxLength = 255

/** Who sends a request, as the host knows it. */
export const HostCaller = Type.Object(
  {
    /** Recorded in revisions. */
    subject: Type.String({ minLength: 1, maxLength, description: `a text of 1 to ${maxLength} characters` }),
    scopes: Type.Array(Type.Enum([...rights]), { description: `an array of some of ${rights.join(', ')}` }),
    /** Shown in the history of templates. */
    name: Type.Optional(Type.String({ maxLength, description: `a text of at most ${maxLength} characters` }))
  },
  { additionalProperties: false }
)
export type HostCaller = Static<typeof HostCaller>

/** Tells who sends a request; undefined: nobody whom the host knows, so the response is 401. */
export type Authenticate = (
  request: FastifyRequest
) => HostCaller | undefined | Promise<HostCaller | undefined>
