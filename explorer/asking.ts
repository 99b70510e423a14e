import { signal } from '@preact/signals'
import { client, isLoginMissing, isOutage, role } from './api.ts'

/** Since when the service has not answered. */
export const outage = signal<Date | undefined>(undefined)
/** Whether somebody has to log in again. */
export const loginEnded = signal(false)

const firstPause = 1000
const longestPause = 10_000

/** Reads, and tries again until the service answers. */
export async function read<Data>(query: string, variables: object = {}, stop?: AbortSignal): Promise<Data> {
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    try {
      const data = await watched<Data>(query, variables, stop)
      outage.value = undefined
      return data
    } catch (error) {
      if (!isOutage(error)) throw error
      outage.value ??= new Date()
      await sleep(pause, stop)
    }
  }
}

/** Reads what the user may do. It may change later: the service then refuses a write. */
export async function readRole(): Promise<void> {
  const { viewer } = await read<{ viewer: { role: string | null } }>('{ viewer { role } }')
  role.value = viewer.role
}

/** Writes, once. */
export const write = <Data>(query: string, variables: object): Promise<Data> => watched(query, variables)

async function watched<Data>(query: string, variables: object, stop?: AbortSignal): Promise<Data> {
  try {
    return await client.request<Data>(query, { ...variables }, { signal: stop })
  } catch (error) {
    if (isLoginMissing(error)) loginEnded.value = true
    throw error
  }
}

const sleep = (milliseconds: number, stop?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    stop?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(stop.reason)
    })
  })

/** Whether an error says nothing about what was asked: nobody waits any more, or somebody has to log in. */
export const isAborted = (error: unknown): boolean =>
  (error as Error)?.name === 'AbortError' || isLoginMissing(error)
