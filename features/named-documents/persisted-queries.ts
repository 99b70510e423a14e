/**
 * Automatic persisted queries: a client sends the SHA-256 of a text, and the text itself only if the service lacks it.
 */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import { makeError } from '../../graphql/errors.ts'
import { getToken } from '../../plugins/authentication/bearer-auth.ts'
import type { GraphqlExchange } from '../../routes/graphql/request.ts'
import { badRequest } from '../../runtime/errors.ts'
import type { TrustedDocuments } from './trusted.ts'

/** Bytes of the texts of one user, and of all users of a process. */
const maxSizeOfUser = 2 ** 20
const maxSize = 2 ** 25
/** Bytes of a text, and of a user, besides the characters. They also limit how many of each there are. */
const overheadOfText = 500
const overheadOfUser = 4000

interface User {
  /** The texts by their SHA-256. */
  texts: LRUCache<string, string>
}

/**
 * Stores the most recently used texts that each user has sent. Users share nothing: no user learns what others have
 * sent, or displaces their texts while the process has space for all.
 */
export class PersistedQueries {
  readonly #users = new LRUCache<string, User>({
    maxSize,
    sizeCalculation: ({ texts }) => texts.calculatedSize + overheadOfUser
  })

  /** The texts that were found. A subscription needs its text again when other texts have displaced it. */
  readonly #found = new WeakMap<GraphqlExchange, string>()

  /**
   * Returns the text that the extension `persistedQuery` of a request names, and stores a text that was sent. Throws
   * 400 if it does not have the SHA-256.
   */
  read(
    request: FastifyRequest,
    persistedQuery: unknown,
    query: string | null | undefined,
    documents: TrustedDocuments | undefined
  ): string | GraphQLError {
    const sha256 = readSha256(persistedQuery)
    const exchange = request.productGraphql as GraphqlExchange
    // Apollo's clients send the identifiers of a manifest in the same way.
    const trusted = query == null ? documents?.byId.get(sha256) : undefined
    if (trusted !== undefined) return trusted
    if (documents?.refusesOthers) return askForText(exchange, notSupported())
    const { iss, sub } = getToken(request)
    const user = `${iss} ${sub}`
    if (query == null) {
      const text = this.#found.get(exchange) ?? this.find(user, sha256)
      if (text === undefined) return askForText(exchange, notFound())
      this.#found.set(exchange, text)
      return text
    }
    const isIdentifier = documents && !/^[0-9a-f]{64}$/.test(sha256)
    // A text that is too long is refused later, so it is neither hashed nor stored.
    if (isIdentifier || query.length > exchange.settings.graphqlMaxSourceLength) return query
    if (!this.store(user, sha256, query))
      throw badRequest('extensions.persistedQuery.sha256Hash is not the SHA-256 of query')
    return query
  }

  find(user: string, sha256: string): string | undefined {
    return this.#users.get(user)?.texts.get(sha256)
  }

  /** Stores a text, and returns whether it has this SHA-256. Any other text is not stored. */
  store(user: string, sha256: string, text: string): boolean {
    if (hash('sha256', text) !== sha256) return false
    const texts = this.#users.get(user)?.texts ?? newTexts()
    // The text is copied, because a part of a URL would hold the whole URL in memory.
    if (!texts.has(sha256)) texts.set(sha256, Buffer.from(text).toString())
    // The object is replaced, because its size has changed.
    this.#users.set(user, { texts })
    return true
  }
}

const newTexts = () =>
  new LRUCache<string, string>({
    maxSize: maxSizeOfUser,
    sizeCalculation: text => 2 * text.length + overheadOfText
  })

/** Whether the text of a request may have the extension. JSON may have any letter of its name as `\u…`. */
export const isPersistedQuery = (text: string): boolean =>
  text.includes('persistedQuery') || text.includes('\\u')

/** Reads the extension of Apollo's clients. Other members are ignored: urql adds one. */
function readSha256(persistedQuery: unknown): string {
  const { version, sha256Hash } = Object(persistedQuery) as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1) throw badRequest('extensions.persistedQuery.version must be 1')
  if (typeof sha256Hash !== 'string')
    throw badRequest('extensions.persistedQuery.sha256Hash must be a string')
  return sha256Hash
}

// Clients recognize the two by these messages.
const notFound = () => makeError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
const notSupported = () => makeError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED')

/** Answers with status 200, as Apollo's server does: some clients read no error that has another status. */
function askForText(exchange: GraphqlExchange, error: GraphQLError): GraphQLError {
  exchange.asksForDocument = true
  return error
}
