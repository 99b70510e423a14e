import { overloaded } from '../../errors.ts'
import { Semaphore } from '../../semaphore.ts'

/** How long a request waits. */
const patience = { milliseconds: 5000, error: () => overloaded('pictures: no place is free') }

/**
 * Limits how many pictures are in memory, to an even number. A token has at most half of the places, so that it cannot
 * take all. The function takes a place for a token, and resolves with one that releases it. It rejects with 503 if there
 * is no place in time.
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
