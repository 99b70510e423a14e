import type { Attributes, FunctionComponent } from 'preact'
import { Button } from './button.tsx'
import { Loading } from './reading.tsx'
import { useRead } from './use-read.ts'

interface Props<Given> {
  /** The class of the page. */
  look: string
  load: () => Promise<FunctionComponent<Given>>
  props: Given & Attributes
}

/** A page that not everybody opens. Its code is loaded only then. */
export function Lazy<Given>({ look, load, props }: Props<Given>) {
  const { data: Page, hasFailed } = useRead(load, [])
  return (
    <main id="main" class={look} tabIndex={-1} aria-busy={(!Page && !hasFailed) || undefined}>
      {Page ? <Page {...props} /> : hasFailed ? <LoadingFailed /> : <Loading />}
    </main>
  )
}

const LoadingFailed = () => (
  <p class="notice warning" role="alert">
    This page could not be loaded. <Button onClick={() => location.reload()}>Try again</Button>
  </p>
)
