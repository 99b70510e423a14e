/**
 * Automatic persisted queries: a client sends the SHA-256 of a text, and the text itself only if the service lacks it.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { makeError, type Result } from '../../graphql/errors.ts'

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

// Clients recognize the two by these messages.
export const persistedQueryNotFound = () => makeError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
export const persistedQueryNotSupported = () =>
  makeError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED')

/** Whether a result asks the client to send the text. */
export const asksForText = ({ errors }: Result): boolean =>
  errors?.some(({ message }) => /^PersistedQueryNot(Found|Supported)$/.test(message)) ?? false
