import { useEffect } from 'preact/hooks'
import { LazyAdmin } from './admin/lazy.tsx'
import { service } from './api.ts'
import { DeletedTemplates } from './deleted/deleted.tsx'
import { Edit } from './edit/edit.tsx'
import { Gallery } from './gallery/gallery.tsx'
import { readTotal } from './gallery/items.ts'
import { Import } from './import/import.tsx'
import { Header } from './parts/header.tsx'
import { Keys } from './parts/keys.tsx'
import { Skip } from './parts/skip.tsx'
import { Status } from './parts/status.tsx'
import { place, readInteger } from './place.ts'
import { Template } from './template/template.tsx'

/** The page: the header, and the view of the current route. */
export function App() {
  const { path } = place.value
  const [room, id] = path
  useEffect(() => {
    readTotal().catch(() => {})
  }, [])
  useEffect(() => {
    // Announces the new page to screen readers. A form has already focused its first field.
    const main = document.querySelector<HTMLElement>('main')
    if (room !== undefined && !main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
  }, [room, id])
  return (
    <>
      <Skip />
      <Header />
      <Status />
      <Room />
      <Keys />
    </>
  )
}

/** The view of the current route. */
function Room() {
  const { path, params } = place.value
  const [room, name, tab] = path
  const id = readInteger(name)
  const copyOf = readInteger(params.get('copy'))
  if (room === 'graphql') location.replace(new URL('explorer/graphql', service))
  if (room === 'new') return <Edit key={`copy of ${copyOf}`} copyOf={copyOf} />
  if (room === 'deleted') return <DeletedTemplates />
  if (room === 'import') return <Import />
  if (room === 'admin') return <LazyAdmin />
  if (room !== 'templates' || id === undefined) return <Gallery />
  return tab === 'edit' ? <Edit key={id} id={id} /> : <Template key={id} id={id} />
}
