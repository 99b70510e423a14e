import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { rights } from '../db/accounts/roles.ts'
import { isName, maxNameLength } from '../db/text.ts'

const name = (size: string, minLength = 0) =>
  Type.Refine(
    Type.String({ minLength, description: `a text of ${size} ${maxNameLength} characters without U+0000` }),
    isName
  )

/** Who sends a request, as the host knows it. Not in host.ts: every command would load TypeBox. */
export const HostCaller = Type.Object(
  {
    /** Recorded in revisions. */
    subject: name('1 to', 1),
    scopes: Type.Array(Type.Enum([...rights]), { description: `an array of some of ${rights.join(', ')}` }),
    /** Shown in the history of templates. */
    name: Type.Optional(name('at most')),
    /** The templates that they see and write; all by default. */
    where: Type.Optional(Type.Object({}, { description: 'a filter, as in the API' }))
  },
  { additionalProperties: false }
)
export type HostCaller = Static<typeof HostCaller>

/** Tells who sends a request; undefined or null: nobody whom the host knows, so the response is 401. */
export type Authenticate = (request: FastifyRequest) => Found | Promise<Found>

type Found = HostCaller | null | undefined
