import { read } from '../requests.ts'
import { noPage, type Page, toListPage, useList, useRead } from '../ui/use-read.ts'
import { isRefused } from './access.ts'

export type { Page }
export const pageInfo = 'pageInfo { hasNextPage endCursor }'

/** Items after which the user is asked whether to read more. */
const maxItems = 1000

/**
 * Reads a list, the only field of a query, page by page. `isDull` returns whether to read on, because the items are
 * shown as one line.
 */
export const usePages = <Item>(
  query: string,
  variables: object = {},
  isDull: (items: Item[]) => boolean = () => false
) =>
  useList<Item, string>(
    async (after, stop) => {
      const items: Item[] = []
      for (let next = after; ; ) {
        const given = { ...variables, after: next ?? null }
        const data = await readAsAdmin<Record<string, Page<Item>>>(query, given, stop)
        const page = toListPage(Object.values(data)[0] ?? noPage)
        items.push(...page.items)
        next = page.next
        if (next === undefined || items.length >= maxItems || !isDull(items)) return { items, next }
      }
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
