/** Reads for the pages of administrators: after a refusal, the page says so instead of showing what was read. */
import { read } from '../requests.ts'
import * as pages from '../ui/use-pages.ts'
import { isRefused } from './access.ts'

export const usePages = <Item>(query: string, variables?: object, isDull?: (items: Item[]) => boolean) =>
  pages.usePages<Item>(query, variables, isDull, readAsAdmin)

export const useQuery = <Data extends object>(query: string, variables?: object) =>
  pages.useQuery<Data>(query, variables, readAsAdmin)

const readAsAdmin: typeof read = (query, variables, stop) =>
  read<never>(query, variables, stop).catch(error => {
    throw isRefused(error) ? new DOMException('refused', 'AbortError') : error
  })
