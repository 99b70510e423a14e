import { signal } from '@preact/signals'
import { systemClock } from '../packages/client/clock.ts'
import { client, isLoginMissing, isOutage, role } from './api.ts'

/** The time of the first failed request; undefined if the service answers. */
export const outageSince = signal<Date | undefined>(undefined)
/** Whether the user must log in again. */
export const loginEnded = signal(false)

const firstPause = 1000
const longestPause = 10_000

/** Runs a query. Retries it until the service answers. */
export async function read<Data>(
  query: string,
  variables: object = {},
  stop = new AbortController().signal
): Promise<Data> {
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    try {
      const data = await requestData<Data>(query, variables, stop)
      outageSince.value = undefined
      return data
    } catch (error) {
      if (!isOutage(error)) throw error
      outageSince.value ??= new Date()
      await systemClock.sleep(pause, stop)
    }
  }
}

/** Reads the role of the user. It may change later; then the service refuses writes. */
export async function readRole(): Promise<void> {
  const { viewer } = await read<{ viewer: { role: string | null } }>('{ viewer { role } }')
  role.value = viewer.role
}

/** Runs a mutation without retries. */
export const write = <Data>(query: string, variables: object): Promise<Data> => requestData(query, variables)

async function requestData<Data>(query: string, variables: object, stop?: AbortSignal): Promise<Data> {
  try {
    return await client.request<Data>(query, { ...variables }, { signal: stop })
  } catch (error) {
    if (isLoginMissing(error)) loginEnded.value = true
    throw error
  }
}

/** Whether to ignore an error: the request was aborted, or the user must log in again, which the page already shows. */
export const isAborted = (error: unknown): boolean =>
  (error as Error)?.name === 'AbortError' || isLoginMissing(error)
