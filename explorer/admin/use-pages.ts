import { useEffect, useRef, useState } from 'preact/hooks'
import { isAborted, read } from '../requests.ts'
import { isRefused } from './access.ts'

export interface Page<Item> {
  nodes: Item[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export const pageInfo = 'pageInfo { hasNextPage endCursor }'

const pickFirst = (data: object): Page<unknown> => Object.values(data)[0]

/**
 * Reads a list page by page. The old items stay visible until the first page of a new list arrives. `pick` finds the
 * page in the answer; by default, it is the only field. A variable that the query does not have reads the list again.
 */
export function usePages<Item, Data extends object = object>(
  query: string,
  variables: object,
  pick = pickFirst as (data: Data) => Page<Item>
) {
  const [items, setItems] = useState<Item[]>([])
  const [end, setEnd] = useState<string | null>(null)
  const [status, setStatus] = useState<'reading' | 'ready' | 'failed'>('reading')
  const stop = useRef(new AbortController())
  const readPage = (after: string | null) => {
    stop.current.abort()
    stop.current = new AbortController()
    setStatus('reading')
    read<Data>(query, { ...variables, after }, stop.current.signal)
      .then(data => {
        const { nodes, pageInfo } = pick(data)
        setItems(known => (after === null ? nodes : [...known, ...nodes]))
        setEnd(pageInfo.hasNextPage ? pageInfo.endCursor : null)
        setStatus('ready')
      })
      .catch(error => {
        if (!isAborted(error) && !isRefused(error)) setStatus('failed')
      })
  }
  useEffect(() => {
    readPage(null)
    return () => stop.current.abort()
  }, [query, JSON.stringify(variables)])
  return { items, status, ...(end !== null && { more: () => readPage(end) }) }
}

/** Runs a query. `data` is undefined until it arrives; `reread` runs the query again. */
export function useQuery<Data extends object>(query: string, variables: object = {}) {
  const [data, setData] = useState<Data>()
  const [hasFailed, setFailed] = useState(false)
  const reread = (stop?: AbortSignal) =>
    read<Data>(query, variables, stop)
      .then(found => {
        setFailed(false)
        setData(found)
      })
      .catch(error => {
        if (!isAborted(error) && !isRefused(error)) setFailed(true)
      })
  useEffect(() => {
    const stop = new AbortController()
    reread(stop.signal)
    return () => stop.abort()
  }, [query, JSON.stringify(variables)])
  return { data, hasFailed, reread: () => reread() }
}
