import type { Attributes, FunctionComponent } from 'preact'
import { Failure, Loading } from './reading.tsx'
import { useRead } from './use-read.ts'

interface Props<Given> {
  load: () => Promise<FunctionComponent<Given>>
  props: Given & Attributes
  /** The class of a page; without it, this is a part of a page. */
  look?: string
}

/** A page or a part of one that not everybody uses. Its code is loaded only then. */
export function Lazy<Given>({ look, load, props }: Props<Given>) {
  const { data: Part, hasFailed } = useRead(load, [])
  const shown = Part ? (
    <Part {...props} />
  ) : hasFailed ? (
    // A browser does not request the code of a failed import again.
    <Failure problem="This page could not be loaded." onRetry={() => location.reload()} />
  ) : (
    <Loading />
  )
  if (look === undefined) return shown
  return (
    <main id="main" class={look} tabIndex={-1} aria-busy={(!Part && !hasFailed) || undefined}>
      {shown}
    </main>
  )
}
