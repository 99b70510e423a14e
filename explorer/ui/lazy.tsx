import type { Attributes, FunctionComponent } from 'preact'
import { Reading } from './reading.tsx'
import { useRead } from './use-read.ts'

interface Props<Given> {
  load: () => Promise<FunctionComponent<Given>>
  props: Given & Attributes
  /** The class of a page; without it, this is a part of a page. */
  look?: string
  /** What is loaded, as the subject of a sentence. */
  what?: string
}

/** A page or a part of one that not everybody uses. Its code is loaded only then. */
export function Lazy<Given>({ look, load, props, what = 'This page' }: Props<Given>) {
  const reading = useRead(() => {
    reloadStyles()
    return load()
  }, [])
  const { data: Part, hasFailed } = reading
  const shown = Part ? <Part {...props} /> : <Reading of={reading} problem={notLoaded(what)} />
  if (look === undefined) return shown
  return (
    <main id="main" class={look} tabIndex={-1} aria-busy={(!Part && !hasFailed) || undefined}>
      {shown}
    </main>
  )
}

/** Says that code could not be loaded. After an update of the service, only a new page has it. */
export const notLoaded = (what: string): string =>
  `${what} could not be loaded. If it keeps failing, reload the page.`

/** The styles that could not be loaded. */
const failed = new Set<HTMLLinkElement>()
addEventListener('error', ({ target }) => target instanceof HTMLLinkElement && failed.add(target), true)

/** Requests the styles that could not be loaded again: an import that is tried again takes them for loaded. */
export function reloadStyles(): void {
  for (const link of failed) link.replaceWith(link.cloneNode())
  failed.clear()
}
