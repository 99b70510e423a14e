import { read } from '../requests.ts'
import { noPage, type Page, toListPage, useList, useRead } from '../ui/use-read.ts'
import { isRefused } from './access.ts'

export type { Page }
export const pageInfo = 'pageInfo { hasNextPage endCursor }'

/** Reads a list, the only field of a query, page by page. */
export const usePages = <Item>(query: string, variables: object = {}) =>
  useList<Item, string>(
    async (after, stop) => {
      const data = await readAsAdmin<Record<string, Page<Item>>>(
        query,
        { ...variables, after: after ?? null },
        stop
      )
      return toListPage(Object.values(data)[0] ?? noPage)
    },
    [query, JSON.stringify(variables)]
  )

/** Runs a query, again when the variables change. */
export const useQuery = <Data extends object>(query: string, variables: object = {}) =>
  useRead(stop => readAsAdmin<Data>(query, variables, stop), [query, JSON.stringify(variables)])

/** After a refusal, the page says so instead of showing what was read. */
const readAsAdmin = <Data>(query: string, variables: object, stop: AbortSignal): Promise<Data> =>
  read<Data>(query, variables, stop).catch(error => {
    throw isRefused(error) ? new DOMException('refused', 'AbortError') : error
  })
