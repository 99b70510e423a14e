import { ClientError } from './errors.ts'

interface PageInfo {
  hasNextPage: boolean
  endCursor: string | null
}

/** Yields the result of each page. `read` gets the cursor before the page. */
export async function* readPages<Result>(
  read: (after: string | undefined) => Promise<Result>,
  first: string | undefined
): AsyncGenerator<Result, void, undefined> {
  let after = first
  for (;;) {
    const result = await read(after)
    const info = findPageInfo(result)
    if (typeof info?.hasNextPage !== 'boolean' || info.endCursor === undefined)
      throw new ClientError('pages need a connection with pageInfo { hasNextPage endCursor }')
    // Otherwise the same page would repeat forever.
    if (info.hasNextPage && (info.endCursor === null || info.endCursor === after))
      throw new ClientError('the pages do not advance: does the connection use $after?')
    yield result
    if (!info.hasNextPage) return
    after = info.endCursor as string
  }
}

/** Finds the first connection in a result. Lists are not searched. */
function findPageInfo(value: unknown): PageInfo | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if ('pageInfo' in value) return value.pageInfo as PageInfo
  for (const inner of Object.values(value)) {
    const found = findPageInfo(inner)
    if (found) return found
  }
  return undefined
}
