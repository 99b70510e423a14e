import type { FastifyRequest } from 'fastify'
import { parseWeighted } from '../responses/weights.ts'
import type { FileCoding } from './built-files.ts'

/** Returns the coding in which a file is sent: the smallest that the client accepts, RFC 9110 §12.5.3. */
export function codingFor({ headers }: FastifyRequest): FileCoding {
  const members = parseWeighted(headers['accept-encoding']?.toString() ?? '')
  const accepts = (coding: string) =>
    (members.find(({ name }) => name === coding) ?? members.find(({ name }) => name === '*'))?.weight
  return (['br', 'gzip'] as const).find(coding => (accepts(coding) ?? 0) > 0) ?? 'identity'
}
