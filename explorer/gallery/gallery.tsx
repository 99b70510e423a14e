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

/** The list that was shown last: who comes back from a template finds it as it was. */
let kept: List | undefined
let unfollow: (() => void) | undefined

/** Lists that were begun with another filter, order or view end. */
function listFor(wanted: Wanted, view: View, from: string | undefined): List {
  if (kept?.key !== writeWanted({ ...wanted, view }).toString()) {
    forgetList()
    kept = new List(wanted, view, from)
    unfollow = followList(kept)
  }
  return kept as List
}

export const currentList = (): List | undefined => kept

/** Reads the list anew when it is shown next. */
export function forgetList(): void {
  unfollow?.()
  endSelection()
  kept?.stop()
  kept = undefined
}

/** All templates that match what the address says, as cards or as a table. */
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
      {/* Before the filters, so that whoever uses the keyboard comes to the actions first. */}
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

/** Offers the templates that appeared meanwhile: what the user looks at stays where it is until they ask for them. */
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
