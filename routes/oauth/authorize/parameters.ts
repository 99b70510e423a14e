import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../../../errors.ts'
import { decodePairs } from '../../../plugins/form-body.ts'

/** Bytes of all parameters together. */
const maxLength = 16 * 1024
const longestState = 2048

/** Parameters by name. */
export class Parameters {
  readonly #pairs: Map<string, [name: string, value: string][]>

  /** Parses a form; an empty parameter counts as absent, RFC 6749 §3.1. Throws `invalid_request` if it is malformed. */
  constructor(form: string) {
    if (form.length > maxLength) throw invalidRequest('the parameters are too long')
    const pairs = decodePairs(form)
    if (!pairs || pairs.some(pair => /\p{Cc}/u.test(pair.join(''))))
      throw invalidRequest('a parameter is not encoded correctly')
    if (pairs.some(([name, value]) => name === 'state' && value.length > longestState))
      throw invalidRequest('state is too long')
    const given = pairs.filter(([, value]) => value !== '')
    this.#pairs = Map.groupBy(given, ([name]) => name)
  }

  /** Returns a parameter. Throws `invalid_request` if it is repeated. */
  get(name: string): string | undefined {
    if ((this.#pairs.get(name) ?? []).length > 1) throw invalidRequest('a parameter is repeated')
    return this.getSingle(name)
  }

  /** Returns a parameter that is there once. */
  getSingle(name: string): string | undefined {
    const [pair, ...more] = this.#pairs.get(name) ?? []
    return more.length > 0 ? undefined : pair?.[1]
  }

  /** Throws `invalid_request` if any parameter is repeated, RFC 6749 §3.1. */
  refuseRepeated(): void {
    for (const name of this.#pairs.keys()) this.get(name)
  }
}

/** Reads the parameters: by GET from the query, by POST from the body alone. */
export function readParameters({ method, raw, body }: FastifyRequest): Parameters {
  const [, query = ''] = /\?(.*)$/s.exec(raw.url ?? '') ?? []
  if (method === 'GET') return new Parameters(query)
  if (query !== '') throw invalidRequest('parameters are allowed in the URL or in the body, not in both')
  return new Parameters(typeof body === 'string' ? body : '')
}
