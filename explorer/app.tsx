import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import { adminPage, importPage } from './additions.ts'
import { service } from './api.ts'
import type { Subject } from './edit/kept-drafts.ts'
import { Gallery } from './gallery/gallery.tsx'
import { readTotal } from './gallery/items.ts'
import { readInteger, route } from './route.ts'
import { Template } from './template/template.tsx'
import { Header, Skip, Status } from './ui/header.tsx'
import { Keys } from './ui/keys.tsx'
import { Lazy } from './ui/lazy.tsx'

/** The page: the header, and the view of the current route. */
export function App() {
  const { path } = route.value
  const [page, id] = path
  useEffect(() => {
    readTotal().catch(() => {})
  }, [])
  useEffect(() => {
    // Announces the new page to screen readers. A form has already focused its first field.
    const main = document.querySelector<HTMLElement>('main')
    if (page !== undefined && !main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
  }, [page, id])
  return (
    <>
      <Skip />
      <Header />
      <Status />
      <CurrentPage />
      <Keys />
    </>
  )
}

const loadEdit = () => import('./edit/edit.tsx').then(({ Edit }) => Edit)

/** The pages that not everybody opens, by the first part of their route, with the classes of their styles. */
const rarePages: Record<
  string,
  { look: string; load: () => Promise<FunctionComponent<{ id: string | undefined }>> }
> = {
  deleted: {
    look: 'page deleted',
    load: () => import('./deleted/deleted.tsx').then(({ DeletedTemplates }) => DeletedTemplates)
  },
  'bulk-changes': {
    look: 'page deleted',
    load: () => import('./bulk-changes/bulk-changes.tsx').then(({ BulkChanges }) => BulkChanges)
  },
  ...(adminPage && { admin: { look: 'page admin', load: adminPage } }),
  ...(importPage && { import: { look: 'page stack import', load: importPage } })
}

/** The view of the current route. */
function CurrentPage() {
  const { path, params } = route.value
  const [page = '', name, tab] = path
  const id = readInteger(name)
  const copyOf = readInteger(params.get('copy'))
  if (page === 'graphql') location.replace(new URL('explorer/graphql', service))
  const edit = (subject: Subject) => (
    <Lazy key={`edit ${id} ${copyOf}`} look="page edit" load={loadEdit} props={subject} />
  )
  if (page === 'new') return edit({ copyOf })
  const rare = Object.hasOwn(rarePages, page) ? rarePages[page] : undefined
  if (rare) return <Lazy key={page} {...rare} props={{ id: name }} />
  if (page !== 'templates' || id === undefined) return <Gallery />
  return tab === 'edit' ? edit({ id }) : <Template key={id} id={id} />
}
