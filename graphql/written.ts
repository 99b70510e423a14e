import type { GraphQLResolveInfo } from 'graphql'
import type { Path } from 'graphql/jsutils/Path.js'
import type { Operation } from './operation.ts'

/** Characters and bytes after which others have their turn. */
const chunkLength = 2 ** 17
/** Characters of a document that is written in pieces. */
const longDocument = 2 ** 15

/** Whether it takes long to write a document. `data` is undefined if it is not selected. */
export const isLong = (data: string | undefined): boolean => data !== undefined && data.length > longDocument

/** JSON text that is made little by little and kept as bytes. Its bytes count for the size of the result. */
export class WrittenJson {
  readonly bytes: Buffer[] = []
  readonly #operation: Operation
  #text = ''
  /** Bytes since the last turn. */
  #sinceTurn = 0

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /** Whether it is time to call {@link flush}. */
  get isFull(): boolean {
    return this.#text.length + this.#sinceTurn > chunkLength
  }

  add(text: string): void {
    this.#text += text
  }

  /** Adds a text of many pieces, with turns of the event loop in between. Throws RESULT_TOO_LARGE. */
  async addPieces(pieces: Iterable<string>): Promise<void> {
    for (const piece of pieces) {
      this.add(piece)
      if (this.isFull) await this.flush()
    }
    await this.flush()
  }

  /** Adds what is already counted. */
  addBytes(bytes: Buffer[]): void {
    this.end()
    for (const some of bytes) {
      this.bytes.push(some)
      this.#sinceTurn += some.length
    }
  }

  /** Converts the text to bytes and lets the event loop serve others. Throws RESULT_TOO_LARGE. */
  async flush(): Promise<void> {
    this.end()
    this.#sinceTurn = 0
    await this.#operation.turn()
  }

  /** Converts the text to bytes. Throws RESULT_TOO_LARGE. */
  end(): void {
    if (this.#text === '') return
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    this.#operation.count(bytes.length)
    this.#sinceTurn += bytes.length
    this.bytes.push(bytes)
  }
}

/** Begins the JSON that takes the place of a field in the response. */
export function addText(operation: Operation, { path }: GraphQLResolveInfo): WrittenJson {
  const json = new WrittenJson(operation)
  operation.texts.set(pathKey(path), json)
  return json
}

/** The place of a field in the response: `data.products.nodes.0.document`. */
const pathKey = (path: Path | undefined): string =>
  path === undefined ? 'data' : `${pathKey(path.prev)}.${path.key}`
