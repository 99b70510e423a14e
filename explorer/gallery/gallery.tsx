import { useEffect, useLayoutEffect } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { BulkBar } from '../bulk/bar.tsx'
import { hasDraft } from '../edit/draft.ts'
import { ExportButton } from '../export/export-button.tsx'
import { go, hrefOf, place } from '../place.ts'
import { count, plural } from '../words.ts'
import { Chips } from './chips.tsx'
import { Exact } from './exact.tsx'
import { Facets } from './facets.tsx'
import { followList } from './follow.ts'
import './gallery.css'
import { Grid } from './grid.tsx'
import { mostCounted, total } from './items.ts'
import { List } from './list.ts'
import { focusCard } from './moving.ts'
import { Nothing } from './nothing.tsx'
import { Order } from './order.tsx'
import { beginSelection, endSelection, selection } from './selection.ts'
import { isFiltered, readWanted, type Wanted, writeWanted } from './wanted.ts'

/** The list that was shown last: who comes back from a template finds it as it was. */
let kept: List | undefined
let unfollow: (() => void) | undefined

/** Lists that were begun with another filter or order end. */
function listFor(wanted: Wanted, from: string | undefined): List {
  if (kept?.key !== writeWanted(wanted).toString()) {
    forgetList()
    kept = new List(wanted, from)
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

/** All templates that match what the address says. */
export function Gallery() {
  const { params } = place.value
  const wanted = readWanted(params)
  const list = listFor(wanted, params.get('from') || undefined)
  useEffect(() => {
    document.title = 'Templates'
  }, [])
  useLayoutEffect(() => {
    const { scroll, focused } = list
    requestAnimationFrame(() => {
      scrollTo({ top: scroll, behavior: 'instant' })
      if (focused !== undefined) focusCard(focused)
    })
    const remember = (event: MouseEvent) => {
      const card = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')
      if (card) Object.assign(list, { scroll: scrollY, focused: Number(card.dataset.id) })
    }
    addEventListener('click', remember, true)
    return () => removeEventListener('click', remember, true)
  }, [list])
  const isEmpty = list.state.value === 'ready' && list.entries.value.length === 0
  const readAnew = () => {
    forgetList()
    go(hrefOf([], writeWanted(wanted)), { replace: true })
  }
  useEffect(() => {
    if (isEmpty && list.fresh.value.size > 0) readAnew()
  }, [isEmpty, list.fresh.value])
  return (
    <div class="gallery">
      {/* Before the filters, so that whoever uses the keyboard comes to the actions first. */}
      <section class="bar" aria-labelledby="gallery-title">
        <h1 id="gallery-title">Templates</h1>
        <Count list={list} filtered={isFiltered(wanted)} />
        <Chips wanted={wanted} />
        <div class="end">
          <a class="deleted-link muted" href={hrefOf(['deleted'])}>
            Deleted<span class="hidden-visually"> templates</span>
          </a>
          <Order wanted={wanted} />
          {!selection.value && !isEmpty && (
            <ExportButton where={list.where ?? {}} number={list.matches.value} />
          )}
          {mayWrite() && !selection.value && !isEmpty && (
            <button type="button" class="button" onClick={beginSelection}>
              Select
            </button>
          )}
          {mayWrite() && (
            <a class="button primary" href={hrefOf(['new'])}>
              New template{hasDraft({}) && <span class="unsaved">unsaved draft</span>}
            </a>
          )}
        </div>
      </section>
      <Facets wanted={wanted} list={list} />
      <main id="main" tabIndex={-1}>
        {!isEmpty && <News list={list} onShow={readAnew} />}
        <Exact search={wanted.search} />
        {list.state.value === 'failed' ? (
          <p class="notice warning">The service refused the search: take off a filter.</p>
        ) : isEmpty ? (
          <Nothing wanted={wanted} />
        ) : (
          <Grid list={list} />
        )}
        {selection.value && <BulkBar list={list} />}
      </main>
    </div>
  )
}

/** How many templates match, also for those who hear the page. */
function Count({ list, filtered }: { list: List; filtered: boolean }) {
  const [matches, all] = [list.matches.value, filtered ? total.value : undefined]
  const counts = [matches, all].filter(number => number !== undefined).map(count)
  if (list.hasUncounted) counts[0] = `${count(mostCounted)}+`
  return (
    <p class="muted" role="status">
      {counts.join(' of ')}
      <span class="hidden-visually"> templates</span>
    </p>
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
