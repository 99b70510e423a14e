import { overloaded } from '../../errors.ts'
import { Semaphore } from '../../semaphore.ts'

/** How long a request waits for a place. */
const patience = { milliseconds: 5000, error: () => overloaded('pictures: no place is free') }

/**
 * Limits the number of pictures in memory. `places` must be even, because a token gets at most half of the places.
 * Returns a function that takes a place for a token, and resolves with the function that releases it. Rejects with
 * 503 if no place is free in time.
 */
export function limitPictures(places: number): (token: string) => Promise<() => void> {
  const all = new Semaphore(places)
  const tokens = new Map<string, Semaphore>()
  return async token => {
    const own = tokens.get(token) ?? new Semaphore(places / 2)
    tokens.set(token, own)
    const leaveOwn = await own.take(undefined, patience)
    const leave = () => {
      leaveOwn()
      if (own.taken === 0) tokens.delete(token)
    }
    const leaveAll = await all.take(undefined, patience).catch(error => {
      leave()
      throw error
    })
    return () => {
      leaveAll()
      leave()
    }
  }
}
