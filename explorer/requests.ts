import { signal } from '@preact/signals'
import { systemClock } from '../packages/client/clock.ts'
import type { RequestOptions } from '../packages/client/index.ts'
import { base64url } from '../packages/client/random.ts'
import type { Viewer } from '../packages/client/schema.ts'
import { client, email, isLoginMissing, isOutage, role, rule } from './api.ts'

/** The time of the first failed request; undefined if the service answers. */
export const outageSince = signal<Date | undefined>(undefined)
/** Whether the user must log in again. */
export const loginEnded = signal(false)

/** What ends the pause of each query that waits for the service. */
const pauses = new Set<() => void>()
/** Ends the pauses of all queries that wait for the service. */
export function tryNow(): void {
  for (const end of pauses) end()
}
addEventListener('online', tryNow)

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
      const data = await requestData<Data>(query, variables, { signal: stop })
      outageSince.value = undefined
      return data
    } catch (error) {
      if (!isOutage(error)) throw error
      outageSince.value ??= new Date()
      await pauseFor(pause, stop)
    }
  }
}

/** Waits for a time, or until the user wants to try at once. */
async function pauseFor(milliseconds: number, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  pauses.add(resolve)
  await Promise.race([systemClock.sleep(milliseconds, stop), promise]).finally(() => pauses.delete(resolve))
}

/** Runs a query with one field, and returns that field. */
export const readField = async <Field>(
  query: string,
  variables: object = {},
  stop?: AbortSignal
): Promise<Field> => Object.values(await read<Record<string, Field>>(query, variables, stop))[0] as Field

/** Reads the user. The role and the rule may change later; then the service refuses writes. */
export async function readViewer(): Promise<void> {
  const viewer = await readField<Pick<Viewer, 'role' | 'where' | 'email'>>('{ viewer { role where email } }')
  role.value = viewer.role
  rule.value = viewer.where
  email.value = viewer.email ?? ''
}

/** Runs a mutation without retries. With a key, a creation or an import happens once, however often it is sent. */
export const write = <Data>(query: string, variables: object, idempotencyKey?: string): Promise<Data> =>
  requestData(query, variables, idempotencyKey === undefined ? {} : { idempotencyKey })

/**
 * Makes the key of a request, which is the same whenever the same one is sent again. `draft` tells equal requests
 * apart.
 */
export async function makeKey(draft: string, variables: object): Promise<string> {
  const bytes = new TextEncoder().encode(draft + JSON.stringify(variables))
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

async function requestData<Data>(query: string, variables: object, options: RequestOptions): Promise<Data> {
  try {
    return await client.request<Data>(query, { ...variables }, options)
  } catch (error) {
    if (isLoginMissing(error)) loginEnded.value = true
    throw error
  }
}

/** Whether to ignore an error: the request was aborted, or the user must log in again, which the page already shows. */
export const isAborted = (error: unknown): boolean =>
  (error as Error)?.name === 'AbortError' || isLoginMissing(error)
