import { useEffect, useLayoutEffect } from 'preact/hooks'
import { Facets } from '../filters/facets.tsx'
import { readTelling } from '../filters/telling.ts'
import { plural } from '../format.ts'
import { MissingPictures } from '../picture/missing-pictures.tsx'
import { hrefOf, navigate, route } from '../route.ts'
import { Button } from '../ui/button.tsx'
import { Lazy, notLoaded } from '../ui/lazy.tsx'
import { Failure, Reading } from '../ui/reading.tsx'
import { useTitle } from '../ui/use-title.ts'
import { Bar, type BarProps, isNarrow, lastLayout } from './bar.tsx'
import { ExactMatches } from './exact-matches.tsx'
import { followList } from './follow.ts'
import './gallery.css'
import { type Criteria, type Layout, readCriteria, writeCriteria } from './criteria.ts'
import { Grid } from './grid.tsx'
import { readTotal } from './items.ts'
import { List, toKey } from './list.ts'
import { NoTemplates } from './no-templates.tsx'
import { endSelection, selection } from './selection.ts'
import { openedView, useTableModule } from './table-module.ts'

/** The last list, kept so that the user finds it unchanged after opening a template. */
let keptList: List | undefined
let unfollow: (() => void) | undefined
/** Returns the kept list, or replaces it if the criteria have changed. */
function openList(criteria: Criteria, layout: Layout, from: string | undefined): List {
  if (keptList?.key === toKey(criteria, layout)) return keptList
  dropList()
  keptList = new List(criteria, layout, from)
  unfollow = followList(keptList)
  return keptList
}

export const currentList = (): List | undefined => keptList

/** Forgets the list and the number of templates after a write, so that both are read again. */
export function forgetList(): void {
  dropList()
  readTotal().catch(() => {})
}

function dropList(): void {
  unfollow?.()
  endSelection()
  keptList?.stop()
  keptList = undefined
}

/** The templates that match the address. The view that it names is opened first. */
export function Gallery() {
  const criteria = readCriteria(route.value.params)
  const { saved } = criteria
  const table = useTableModule(saved !== undefined)
  useLayoutEffect(() => {
    if (saved === undefined) openedView.value = undefined
  }, [saved])
  if (saved === undefined || openedView.value?.id === saved) return <Templates criteria={criteria} />
  return (
    <main id="main" class="gallery" tabIndex={-1}>
      {table.data ? (
        <table.data.OpenView key={saved} id={saved} criteria={criteria} />
      ) : (
        <Reading of={table} problem={notLoaded('The view')} />
      )}
    </main>
  )
}

const loadBulkBar = () => import('../bulk/bar.tsx').then(({ BulkBar }) => BulkBar)

/** The templates as cards or as a table. */
function Templates({ criteria }: { criteria: Criteria }) {
  const { params } = route.value
  const layout = criteria.layout ?? lastLayout.value
  const list = openList(criteria, layout, params.get('from') || undefined)
  const table = useTableModule(layout === 'table')
  useTitle('Templates')
  useEffect(() => {
    if (list.state.value === 'ready') readTelling()
  }, [list.state.value])
  const isEmpty = list.state.value === 'ready' && list.entries.value.length === 0
  const reload = () => {
    dropList()
    navigate(hrefOf([], writeCriteria(criteria)), { replace: true })
  }
  useEffect(() => {
    if (isEmpty && list.newIds.value.size > 0) reload()
  }, [isEmpty, list.newIds.value])
  return (
    <div class={layout === 'table' ? 'gallery with-table' : 'gallery'}>
      {/* Before the filters, so that the keyboard reaches the buttons first. */}
      <Bar criteria={criteria} layout={layout} list={list} isEmpty={isEmpty} table={table} />
      {layout === 'gallery' && !isNarrow.value && <Facets criteria={criteria} list={list} />}
      <main id="main" tabIndex={-1}>
        {!isEmpty && <NewTemplates list={list} onShow={reload} />}
        <MissingPictures list={list} />
        <ExactMatches search={criteria.search} />
        <Results {...{ criteria, layout, list, isEmpty, table }} />
        <div class="at-bottom">
          {list.hasFailed && (
            <Failure
              problem="The templates could not be read. If it keeps failing, remove a filter, or choose another order."
              onRetry={() => list.retry()}
            />
          )}
          {selection.value && <Lazy what="The bar" load={loadBulkBar} props={{ list }} />}
        </div>
      </main>
    </div>
  )
}

/** The templates that have been read. */
function Results({ criteria, layout, list, isEmpty, table }: BarProps) {
  if (isEmpty) return <NoTemplates criteria={criteria} />
  if (list.hasFailed && list.entries.value.length === 0) return null
  if (layout === 'gallery') return <Grid key={list.key} list={list} />
  return table.data ? (
    <table.data.Table key={list.key} list={list} criteria={criteria} />
  ) : (
    <Reading of={table} problem={notLoaded('The table')} />
  )
}

/** Offers templates that others created meanwhile. They appear only on request, so that no card moves. */
function NewTemplates({ list, onShow }: { list: List; onShow: () => void }) {
  const number = list.newIds.value.size
  return (
    <div class="news" role="status">
      {number > 0 && (
        <Button look="primary" onClick={onShow}>
          Show {plural(number, 'new template')}
        </Button>
      )}
    </div>
  )
}
