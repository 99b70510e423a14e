import { useEffect, useRef, useState } from 'preact/hooks'
import { isAborted } from '../requests.ts'

/**
 * Reads something, again when the inputs change; nothing if `load` returns undefined. The former data stays meanwhile.
 */
export function useRead<Data>(
  load: (stop: AbortSignal) => Promise<Data> | undefined,
  inputs: readonly unknown[]
) {
  const [data, setData] = useState<Data>()
  const [hasFailed, setFailed] = useState(false)
  const begin = useStop()
  /** Never rejects. Settles when the data is new, when the reading has failed, or when it is not wanted any more. */
  const reread = async (): Promise<void> => {
    const stop = begin()
    if (stop.aborted) return
    try {
      const reading = load(stop)
      if (reading === undefined) return
      const found = await reading
      if (stop.aborted) return
      setFailed(false)
      setData(() => found)
    } catch (error) {
      if (!stop.aborted && !isAborted(error)) setFailed(true)
    }
  }
  useEffect(() => void reread(), inputs)
  return { data, hasFailed, reread }
}

/** Reads a list page by page, from its start again when the inputs change. The old items stay visible until then. */
export function useList<Item, Place>(
  load: (from: Place | undefined, stop: AbortSignal) => Promise<{ items: Item[]; next: Place | undefined }>,
  inputs: readonly unknown[]
) {
  const [items, setItems] = useState<Item[]>([])
  const [next, setNext] = useState<Place>()
  const [status, setStatus] = useState<'reading' | 'ready' | 'failed'>('reading')
  /** The place of the latest page that was requested. */
  const latest = useRef<Place | undefined>(undefined)
  const begin = useStop()
  const readFrom = (place: Place | undefined): Promise<void> => {
    latest.current = place
    setStatus('reading')
    return readPage()
  }
  /** Reads the latest page. Never rejects. After a failure, the status stays until the page has been read. */
  const readPage = async () => {
    const [place, stop] = [latest.current, begin()]
    if (stop.aborted) return
    try {
      const found = await load(place, stop)
      if (stop.aborted) return
      setItems(known => (place === undefined ? found.items : [...known, ...found.items]))
      setNext(() => found.next)
      setStatus('ready')
    } catch (error) {
      if (!stop.aborted && !isAborted(error)) setStatus('failed')
    }
  }
  useEffect(() => void readFrom(undefined), inputs)
  return {
    items,
    next,
    status,
    reread: () => void readFrom(undefined),
    retry: readPage,
    ...(next !== undefined && { more: () => void readFrom(next) })
  }
}

/**
 * Returns a function that stops the last reading and returns the signal of the next one. Once the component has gone,
 * that signal is aborted, too.
 */
function useStop(): () => AbortSignal {
  const stop = useRef(new AbortController())
  const hasGone = useRef(false)
  useEffect(
    () => () => {
      hasGone.current = true
      stop.current.abort()
    },
    []
  )
  return () => {
    stop.current.abort()
    if (!hasGone.current) stop.current = new AbortController()
    return stop.current.signal
  }
}

export interface Page<Item> {
  nodes: Item[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export const noPage: Page<never> = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

/** Turns a page of the API into one of {@link useList}. */
export const toListPage = <Item>({ nodes, pageInfo }: Page<Item>) => ({
  items: nodes,
  next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined
})
