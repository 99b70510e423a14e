import { useEffect } from 'preact/hooks'
import { BulkBar } from '../bulk/bar.tsx'
import { Facets } from '../filters/facets.tsx'
import { go, hrefOf, place } from '../place.ts'
import { plural } from '../words.ts'
import { Bar } from './bar.tsx'
import { Exact } from './exact.tsx'
import { followList } from './follow.ts'
import './gallery.css'
import { Grid } from './grid.tsx'
import { List } from './list.ts'
import { isNarrow } from './narrow.ts'
import { Nothing } from './nothing.tsx'
import { endSelection, selection } from './selection.ts'
import { useTableRoom } from './table-room.ts'
import { lastView } from './view-switch.tsx'
import { readWanted, type View, type Wanted, writeWanted } from './wanted.ts'

/** The last list, kept so that the user finds it unchanged after opening a template. */
let kept: List | undefined
let unfollow: (() => void) | undefined

/** Returns the kept list, or replaces it if the criteria have changed. */
function listFor(wanted: Wanted, view: View, from: string | undefined): List {
  if (kept?.key !== writeWanted({ ...wanted, view }).toString()) {
    forgetList()
    kept = new List(wanted, view, from)
    unfollow = followList(kept)
  }
  return kept as List
}

export const currentList = (): List | undefined => kept

/** Forgets the list, so that it is read again when it is shown next. */
export function forgetList(): void {
  unfollow?.()
  endSelection()
  kept?.stop()
  kept = undefined
}

/** The templates that match the address, as cards or as a table. */
export function Gallery() {
  const { params } = place.value
  const wanted = readWanted(params)
  const view = wanted.view ?? lastView.value
  const list = listFor(wanted, view, params.get('from') || undefined)
  const room = useTableRoom(view === 'table')
  useEffect(() => {
    document.title = 'Templates'
  }, [])
  const isEmpty = list.state.value === 'ready' && list.entries.value.length === 0
  const readAnew = () => {
    forgetList()
    go(hrefOf([], writeWanted(wanted)), { replace: true })
  }
  useEffect(() => {
    if (isEmpty && list.fresh.value.size > 0) readAnew()
  }, [isEmpty, list.fresh.value])
  return (
    <div class={view === 'table' ? 'gallery with-table' : 'gallery'}>
      {/* Before the filters, so that the keyboard reaches the buttons first. */}
      <Bar wanted={wanted} view={view} list={list} isEmpty={isEmpty} room={room} />
      {view === 'gallery' && !isNarrow.value && <Facets wanted={wanted} list={list} />}
      <main id="main" tabIndex={-1}>
        {!isEmpty && <News list={list} onShow={readAnew} />}
        <Exact search={wanted.search} />
        {list.state.value === 'failed' ? (
          <p class="notice warning">The service refused this: take off a filter, or choose another order.</p>
        ) : isEmpty ? (
          <Nothing wanted={wanted} />
        ) : view === 'gallery' ? (
          <Grid key={list.key} list={list} />
        ) : (
          room && <room.Table key={list.key} list={list} wanted={wanted} />
        )}
        {selection.value && <BulkBar list={list} />}
      </main>
    </div>
  )
}

/** Offers templates that others created meanwhile. They appear only on request, so that no card moves. */
function News({ list, onShow }: { list: List; onShow: () => void }) {
  const number = list.fresh.value.size
  return (
    <div class="news" role="status">
      {number > 0 && (
        <button type="button" class="button primary" onClick={onShow}>
          Show {plural(number, 'new template')}
        </button>
      )}
    </div>
  )
}
