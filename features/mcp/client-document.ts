import { array, constant, sized, string } from 'decoders'
import { LRUCache } from 'lru-cache'
import { generateSecret, hashSecret } from '../../accounts/credentials/secrets.ts'
import { findRedirectProblem } from '../../accounts/redirect-uris.ts'
import type { StoredClient } from '../../db/accounts/clients.ts'
import { apiScopes, publicGrantTypes } from '../../domain/rights.ts'
import { unprintable } from '../../domain/text.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { invalidRequest, overloaded } from '../../runtime/errors.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { tryParseJson } from '../../runtime/json-values.ts'
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.ts'
import { readAll, sendRequest, toBlockList } from '../../runtime/outgoing.ts'
import { checkArgument, optional, type Shaped } from '../../runtime/validator.ts'

/** Characters of a name that become spaces. The host follows the name in brackets, so a name must have none. */
const unshown = new RegExp(`[()${unprintable}]+`, 'g')

const maxUrlLength = 500
/** Maximum bytes of a document, and maximum milliseconds until its first byte and until its last. */
const maxDocumentBytes = 10 * 1024
const firstByteTimeoutMs = 2000
const fetchTimeoutMs = 5000
/**
 * Maximum number of concurrent fetches: in total, from one host, and for one visitor's address, so that a visitor with
 * a slow host does not delay others. Then the milliseconds that another fetch waits for its turn.
 */
const [maxFetches, maxFetchesOfHost, maxFetchesForAddress] = [32, 2, 4]
const maxWaitMs = 5000
/** Maximum number of cached documents. Bounds and default of their lifetime in seconds, for any Cache-Control. */
const maxCachedDocuments = 1000
const [minAgeSeconds, defaultAgeSeconds, maxAgeSeconds] = [60, 300, 86_400]
/** Maximum characters of a name. A longer one could hide the host behind it. */
const maxNameLength = 60

/** The members of a document that the service uses, RFC 7591 §2. */
const ClientDocument = {
  client_id: string.describe('a text'),
  client_name: optional(string).describe('a text'),
  redirect_uris: sized(array(string), { min: 1, max: 50 }).describe('a list of 1 to 50 URIs'),
  grant_types: optional(array(string)).describe('a list of texts'),
  token_endpoint_auth_method: constant('none').describe('`none`')
}
type ClientDocument = Shaped<typeof ClientDocument>

/** Whether a client id is the URL of a metadata document. Ids of registered clients have no colon. */
export function isDocumentUrl(id: string): boolean {
  const url = id.startsWith('https://') && id.length <= maxUrlLength ? URL.parse(id) : null
  const isWhole =
    url !== null && url.pathname !== '/' && !id.includes('#') && !`${url.username}${url.password}`
  // The URL must be normalized: no `..`, and no other spelling of the host.
  return isWhole && url.href === id
}

/** Fetches and caches the metadata documents of clients, draft-ietf-oauth-client-id-metadata-document. */
export class ClientDocuments {
  readonly #allowed: ReturnType<typeof toBlockList>
  readonly #closing: AbortSignal
  readonly #documents = new LRUCache<string, ClientDocument>({ max: maxCachedDocuments })
  readonly #places = new KeyedSemaphore({
    milliseconds: maxWaitMs,
    error: () => overloaded('too many metadata documents are being fetched')
  })

  constructor({ privateNetworks = '' }: ServiceSettings, closing: AbortSignal) {
    this.#allowed = toBlockList(privateNetworks)
    this.#closing = closing
  }

  /**
   * Returns a client as its document describes it. `stored` is the client's row in the database, and `address` that of
   * the visitor. Returns undefined if the id is no such URL. Throws `invalid_request`.
   */
  async describe(
    id: string,
    stored: StoredClient | undefined,
    address: string
  ): Promise<StoredClient | undefined> {
    if (!isDocumentUrl(id)) return undefined
    const document = this.#documents.get(id) ?? (await this.#read(id, address))
    const {
      client_name: name = '',
      redirect_uris: uris,
      grant_types: types = ['authorization_code']
    } = document
    const shown = name.replace(unshown, ' ').replace(/\s+/g, ' ').trim()
    const short = [...shown].slice(0, maxNameLength).join('')
    return {
      id,
      // No secret has this hash.
      secretHash: stored?.secretHash ?? hashSecret(generateSecret()),
      previousSecretHash: null,
      grantTypes: publicGrantTypes.filter(type => types.includes(type)),
      scopes: stored?.scopes ?? [...apiScopes],
      mayIntrospect: false,
      isPublic: true,
      redirectUris: uris.filter(uri => findRedirectProblem(uri) === undefined),
      firstParty: false,
      displayName: `${short} (${new URL(id).host})`.trim(),
      disabled: false,
      tokenEpoch: stored?.tokenEpoch ?? 0
    }
  }

  async #read(id: string, address: string): Promise<ClientDocument> {
    const limits = {
      all: maxFetches,
      [`host ${new URL(id).host}`]: maxFetchesOfHost,
      [`address ${address}`]: maxFetchesForAddress
    }
    const leave = await this.#places.take(limits, this.#closing)
    try {
      // Another visitor may have fetched it meanwhile.
      const known = this.#documents.get(id)
      if (known) return known
      const { text, type = '', age } = await this.#fetch(new URL(id))
      const document = checkDocument(id, type, text)
      this.#documents.set(id, document, { ttl: age * 1000 })
      return document
    } catch (error) {
      this.#closing.throwIfAborted()
      const problem = error instanceof ArgumentError ? `is not valid: ${error.message}` : 'cannot be read'
      throw invalidRequest(`the metadata document of the client ${problem}`, 400, String(error))
    } finally {
      leave()
    }
  }

  async #fetch(url: URL) {
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(fetchTimeoutMs)])
    const response = await sendRequest(url, {
      headers: requested,
      signal,
      allowed: this.#allowed,
      firstByteTimeoutMs
    })
    const { statusCode, headers } = response
    // Redirects are not followed, because they may lead to a document of somebody else.
    if (statusCode !== 200) {
      response.destroy()
      throw new ArgumentError(`the response has the status ${statusCode}, not 200`)
    }
    const text = (await readAll(response, maxDocumentBytes)).toString()
    return { text, type: headers['content-type'], age: readMaxAge(headers['cache-control'] ?? '') }
  }
}

const requested = { Accept: 'application/json', 'Accept-Encoding': 'identity' }

/** Parses and checks a document. Throws ArgumentError. */
function checkDocument(id: string, type: string, text: string): ClientDocument {
  const document = /^application\/([\w.-]+\+)?json *(;|$)/i.test(type) ? tryParseJson(text) : undefined
  if (typeof document !== 'object' || document === null) throw new ArgumentError('it is not a JSON object')
  const checked = checkArgument('the document', ClientDocument, pickKnownMembers(document))
  if (checked.client_id !== id) throw new ArgumentError('client_id must be the URL of the document')
  if ('client_secret' in document)
    throw new ArgumentError('it must not contain client_secret: the document is public')
  return checked
}

/** Picks the members that the service uses, because `checkArgument` refuses others. */
const pickKnownMembers = (document: object) =>
  Object.fromEntries(Object.entries(document).filter(([name]) => Object.hasOwn(ClientDocument, name)))

/** Reads for how many seconds a document may be cached, within the bounds above. */
function readMaxAge(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return minAgeSeconds
  const [, seconds = defaultAgeSeconds] = /\bmax-age="?(\d+)/i.exec(cacheControl) ?? []
  return Math.min(Math.max(Number(seconds), minAgeSeconds), maxAgeSeconds)
}
