import { overloaded } from '../../errors.ts'
import { Semaphore } from '../../semaphore.ts'

/** How long a request waits. */
const patience = { milliseconds: 5000, error: () => overloaded('pictures: no place is free') }

/** Limits how many pictures are in memory. A token has at most half of the places, so that it cannot take all. */
export class Places {
  readonly #all: Semaphore
  readonly #placesOfToken: number
  readonly #tokens = new Map<string, Semaphore>()

  /** An even number of places. */
  constructor(places: number) {
    this.#all = new Semaphore(places)
    this.#placesOfToken = places / 2
  }

  /** Resolves with a function that releases the place. Rejects with 503 if there is none in time. */
  async take(token: string): Promise<() => void> {
    const own = this.#tokens.get(token) ?? new Semaphore(this.#placesOfToken)
    this.#tokens.set(token, own)
    const leaveOwn = await own.take(undefined, patience)
    const leave = () => {
      leaveOwn()
      if (own.taken === 0) this.#tokens.delete(token)
    }
    const leaveAll = await this.#all.take(undefined, patience).catch(error => {
      leave()
      throw error
    })
    return () => {
      leaveAll()
      leave()
    }
  }
}
