import { read } from '../requests.ts'
import { noPage, type Page, toListPage, useList, useRead } from './use-read.ts'

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
  isDull: (items: Item[]) => boolean = () => false,
  readData: typeof read = read
) =>
  useList<Item, string>(
    async (after, stop) => {
      const items: Item[] = []
      for (let next = after; ; ) {
        const given = { ...variables, after: next ?? null }
        const data = await readData<Record<string, Page<Item>>>(query, given, stop)
        const page = toListPage(Object.values(data)[0] ?? noPage)
        items.push(...page.items)
        next = page.next
        if (next === undefined || items.length >= maxItems || !isDull(items)) return { items, next }
      }
    },
    [query, JSON.stringify(variables)]
  )

/** Runs a query, again when the variables change. */
export const useQuery = <Data extends object>(
  query: string,
  variables: object = {},
  readData: typeof read = read
) => useRead(stop => readData<Data>(query, variables, stop), [query, JSON.stringify(variables)])

/** Reads a list page by page, as long as the caller wants more. */
export async function* readPages<Node>(
  load: (after: string | null) => Promise<Page<Node>>
): AsyncGenerator<Node[]> {
  for (let after: string | null = null, more = true; more; ) {
    const { nodes, pageInfo }: Page<Node> = await load(after)
    yield nodes
    more = pageInfo.hasNextPage
    after = pageInfo.endCursor
  }
}
