import type { FastifyRequest } from 'fastify'
import { grants } from '../../db/accounts/rights.ts'
import { longestEmail } from '../../db/accounts/users.ts'
import { invalidRequest } from '../../errors.ts'
import { decodeFormValue } from '../../plugins/client-auth.ts'

/** Parameters of a form body by name. */
export type Form = Record<string, string>

/** The parameters that carry credentials. */
const credentials = [
  'client_secret',
  'token',
  ...Object.values(grants).flatMap(({ credentials = [] }) => credentials)
]

/**
 * Returns the parameters of an OAuth request; an empty one counts as absent, RFC 6749 §3.2. Throws `invalid_request`
 * for a malformed body, credentials in the URL and a second authentication method.
 */
export function readOAuthParameters({ body, query, productClient }: FastifyRequest): Form {
  if (credentials.some(name => name in (query as object)))
    throw invalidRequest('credentials are not allowed in the URL')
  // The text of what is wrong with a malformed body.
  if (typeof body === 'string') throw invalidRequest(body)
  const form: Form = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== ''))
  // One authentication method per request, RFC 6749 §2.3.
  if (form.client_secret)
    throw invalidRequest('client credentials are allowed in the header or the body, not in both')
  if (form.client_id && form.client_id !== productClient?.id)
    throw invalidRequest('client_id differs from the authenticated client')
  return form
}

/** Maximum length of all parameters together. */
const maxParametersLength = 16 * 1024
const maxStateLength = 2048

/** The parameters of a request that occur once, and the names of repeated parameters. */
export interface Parameters {
  form: Form
  repeated: Set<string>
}

/** Reads the parameters: by GET from the query, by POST from the body alone. Throws `invalid_request` if malformed. */
export function readParameters({ method, raw, body }: FastifyRequest): Parameters {
  const [, query = ''] = /\?(.*)$/s.exec(raw.url ?? '') ?? []
  if (method === 'GET') return parseParameters(query)
  if (query !== '') throw invalidRequest('parameters are allowed in the URL or in the body, not in both')
  return parseParameters(String(body ?? ''))
}

/** An empty parameter counts as absent, RFC 6749 §3.1. */
function parseParameters(text: string): Parameters {
  if (text.length > maxParametersLength) throw invalidRequest('the parameters are too long')
  const pairs = decodePairs(text)
  if (!pairs || pairs.some(pair => /\p{Cc}/u.test(pair.join(''))))
    throw invalidRequest('a parameter is not encoded correctly')
  if (pairs.some(([name, value]) => /^(state|nonce)$/.test(name) && value.length > maxStateLength))
    throw invalidRequest('state or nonce is too long')
  if (pairs.some(([name, value]) => name === 'login_hint' && value.length > longestEmail))
    throw invalidRequest('login_hint is too long')
  const present = pairs.filter(([, value]) => value !== '')
  const given = [...Map.groupBy(present, ([name]) => name)]
  const single = given.filter(([, same]) => same.length === 1).flatMap(([, same]) => same)
  const repeated = given.filter(([, same]) => same.length > 1).map(([name]) => name)
  return { form: Object.fromEntries(single), repeated: new Set(repeated) }
}

export const repeatedParameter = () => invalidRequest('a parameter is repeated')

/**
 * Parses `application/x-www-form-urlencoded` strictly: RFC 6749 appendix B; no repeated parameters, §3.2. For a
 * malformed form, returns a text that describes the error without quoting the form.
 */
export function parseForm(text: string): Form | string {
  const pairs = decodePairs(text)
  if (!pairs) return 'a parameter is not encoded correctly'
  const form: Form = Object.assign(Object.create(null), Object.fromEntries(pairs))
  return Object.keys(form).length < pairs.length ? 'a parameter is repeated' : form
}

/** Splits and decodes a form; undefined if a name or a value is not encoded correctly. */
function decodePairs(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  for (const pair of text.split('&').filter(pair => pair !== '')) {
    const [, name = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const [key, value] = [decodeFormValue(name), decodeFormValue(given)]
    if (key === undefined || value === undefined) return undefined
    pairs.push([key, value])
  }
  return pairs
}
