import { useEffect } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { hasDraft } from '../edit/kept-drafts.ts'
import { readTelling } from '../filters/telling.ts'
import { currentList } from '../gallery/gallery.tsx'
import { watchChanges } from '../live.ts'
import { hrefOf, navigate, route } from '../route.ts'
import { isTyping } from '../ui/keys.tsx'
import { Links } from '../ui/links.tsx'
import { Reading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { useTitle } from '../ui/use-title.ts'
import { Data } from './data.tsx'
import { Facts } from './facts.tsx'
import { Gone } from './gone.tsx'
import { History } from './history.tsx'
import { Metadata } from './metadata.tsx'
import { type FullTemplate, readTemplate } from './read.ts'
import { Saved } from './saved.tsx'
import { Traits } from './traits.tsx'
import './template.css'

/** A template: name, picture, facts and tabs. */
export function Template({ id }: { id: number }) {
  const reading = useRead(stop => readTemplate(id, stop), [id])
  const { data: template, reread } = reading
  useEffect(() => {
    // Which trait is the price; the gallery may not have been open.
    readTelling()
    scrollTo(0, 0)
    return watchChanges(change => {
      if (change.id === id) reread()
    })
  }, [id])
  useTitle(template?.name)
  useKeys(id)
  const { params, path } = route.value
  if (template === null)
    return (
      <main id="main" class="page template gone" tabIndex={-1}>
        <Gone id={id} onRestored={reread} />
      </main>
    )
  if (template === undefined)
    return (
      <main id="main" class="page template" tabIndex={-1} aria-busy={!reading.hasFailed}>
        <Reading of={reading} problem="The template could not be read." />
      </main>
    )
  const tab = ['data', 'metadata', 'history'].find(name => name === path[2]) ?? 'traits'
  return (
    <main id="main" class="page template" tabIndex={-1}>
      <Heading template={template} />
      <Facts template={template} />
      <div class="body">
        <Tabs template={template} current={tab} />
        {tab === 'traits' && <Traits template={template} />}
        {tab === 'data' && <Data key={template.hash} data={template.data} />}
        {tab === 'metadata' && <Metadata template={template} />}
        {tab === 'history' && <History template={template} params={params} onRestored={reread} />}
      </div>
    </main>
  )
}

function Heading({ template }: { template: FullTemplate }) {
  const { id, name, document, publicProduct, revision } = template
  const description = document?.description ?? ''
  return (
    <div class="heading">
      <h1>{name}</h1>
      {description !== '' && (
        <p
          class={`description ${description.length > 400 ? 'long' : ''}`}
          tabIndex={description.length > 400 ? 0 : -1}
        >
          {description}
        </p>
      )}
      <div class="state across">
        <span class="pill">{publicProduct ? 'Public' : 'Not public'}</span>
        <a class="pill" href={hrefOf(['templates', id, 'history'])}>
          Revision {revision}
        </a>
        {hasDraft({ id }) && (
          <a class="pill draft" href={hrefOf(['templates', id, 'edit'])}>
            Unsaved draft
          </a>
        )}
        {mayWrite() ? (
          <>
            <a class="button primary" href={hrefOf(['templates', id, 'edit'])}>
              Edit
            </a>
            <a class="button" href={hrefOf(['new'], new URLSearchParams({ copy: String(id) }))}>
              Duplicate
            </a>
          </>
        ) : (
          <span class="muted">Your login may read, not change.</span>
        )}
        <Saved id={id} />
      </div>
    </div>
  )
}

/** `E` edits the template; Escape goes back to the gallery. */
function useKeys(id: number): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]')) return
      if (event.key === 'Escape') navigate(hrefOf([], new URLSearchParams(currentList()?.key)))
      if (event.key !== 'e' || !mayWrite()) return
      // Keeps the letter out of the field that gets the focus.
      event.preventDefault()
      navigate(hrefOf(['templates', id, 'edit']))
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [id])
}

/** The tabs of a template; each has its own address. */
function Tabs({
  template: { id, document, revision },
  current
}: {
  template: FullTemplate
  current: string
}) {
  const traits = document ? `Traits ${document.attributes.length}` : 'Traits'
  return (
    <nav class="tabs" aria-label="Template">
      <Links
        links={[
          ['traits', traits, hrefOf(['templates', id])],
          ['data', 'Data', hrefOf(['templates', id, 'data'])],
          ['metadata', 'Metadata', hrefOf(['templates', id, 'metadata'])],
          ['history', `History ${revision}`, hrefOf(['templates', id, 'history'])]
        ]}
        current={current}
      />
    </nav>
  )
}
