import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Props {
  /** The class of the page. */
  name: string
  load: () => Promise<ComponentType>
}

/** A page that few people open. Its code is loaded only then. */
export function Lazy({ name, load }: Props) {
  const [Page, setPage] = useState<ComponentType>()
  useEffect(() => {
    load().then(loaded => setPage(() => loaded))
  }, [])
  return (
    <main id="main" class={name} tabIndex={-1} aria-busy={!Page}>
      {Page && <Page />}
    </main>
  )
}
