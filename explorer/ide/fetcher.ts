import { GraphQLResponseError } from '../../packages/client/index.ts'
import { client, isLoginMissing } from '../api.ts'
import { loginEnded } from '../asking.ts'

interface Request {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** Sends an operation with the token of the explorer; returns the result with its errors. */
export async function fetcher({ query, variables, operationName }: Request): Promise<never> {
  try {
    const options = operationName ? { operationName } : {}
    return { data: await client.request(query, variables ?? {}, options) } as never
  } catch (error) {
    if (isLoginMissing(error)) loginEnded.value = true
    if (!(error instanceof GraphQLResponseError)) throw error
    const { errors, data } = error
    return { errors, ...(data !== undefined && { data }) } as never
  }
}
