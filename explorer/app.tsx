import { useEffect } from 'preact/hooks'
import { service } from './api.ts'
import type { Subject } from './edit/kept-drafts.ts'
import { importPage } from './feature-parts.ts'
import { Gallery } from './gallery/gallery.tsx'
import { readTotal } from './gallery/items.ts'
import { Header } from './parts/header.tsx'
import { Keys } from './parts/keys.tsx'
import { Lazy } from './parts/lazy.tsx'
import { Skip } from './parts/skip.tsx'
import { Status } from './parts/status.tsx'
import { readInteger, route } from './route.ts'
import { Template } from './template/template.tsx'

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

const loadAdmin = () => import('./admin/admin.tsx')
const loadDeleted = () => import('./deleted/deleted.tsx')
const loadBulkChanges = () => import('./bulk-changes/bulk-changes.tsx')
const loadEdit = () => import('./edit/edit.tsx')

/** The view of the current route. */
function CurrentPage() {
  const { path, params } = route.value
  const [page, name, tab] = path
  const id = readInteger(name)
  const copyOf = readInteger(params.get('copy'))
  if (page === 'graphql') location.replace(new URL('explorer/graphql', service))
  const edit = (subject: Subject) => (
    <Lazy key={`edit ${id} ${copyOf}`} name="edit" load={loadEdit}>
      {({ Edit }) => <Edit {...subject} />}
    </Lazy>
  )
  if (page === 'new') return edit({ copyOf })
  if (page === 'deleted')
    return (
      <Lazy key={page} name={page} load={loadDeleted}>
        {({ DeletedTemplates }) => <DeletedTemplates />}
      </Lazy>
    )
  if (page === 'bulk-changes')
    return (
      <Lazy key={page} name="deleted" load={loadBulkChanges}>
        {({ BulkChanges }) => <BulkChanges id={name} />}
      </Lazy>
    )
  if (page === 'import' && importPage)
    return (
      <Lazy key={page} name={page} load={importPage}>
        {({ Import }) => <Import />}
      </Lazy>
    )
  if (page === 'admin')
    return (
      <Lazy key={page} name={page} load={loadAdmin}>
        {({ Admin }) => <Admin />}
      </Lazy>
    )
  if (page !== 'templates' || id === undefined) return <Gallery />
  return tab === 'edit' ? edit({ id }) : <Template key={id} id={id} />
}
