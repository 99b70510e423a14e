import { Facets } from '../filters/facets.tsx'
import { type Criteria, readCriteria, writeCriteria } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { openedView } from '../gallery/table-module.ts'
import { hrefOf, navigate } from '../route.ts'
import { Popover } from '../ui/popover.tsx'
import { Reading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { ColumnList } from './column-list.tsx'
import { listViews } from './own-views.ts'
import { Views } from './views.tsx'

/** The buttons of the table in the bar. */
export function TableButtons({ criteria, list }: { criteria: Criteria; list: List }) {
  return (
    <>
      <Popover label="Filters">
        <Facets criteria={criteria} list={list} />
      </Popover>
      <Popover label="Columns">
        <ColumnList />
      </Popover>
      <Popover label="Views">
        <Views criteria={criteria} />
      </Popover>
    </>
  )
}

/** Opens the view that the address names. An address that names nothing else gets its filter and order. */
export function OpenView({ id, criteria }: { id: string; criteria: Criteria }) {
  const reading = useRead(async () => {
    const view = (await listViews()).find(view => view.id === id)
    if (!view) return 'gone'
    openedView.value = view
    if (criteria.layout === undefined) {
      const found = readCriteria(new URLSearchParams(view.query))
      navigate(hrefOf([], writeCriteria({ ...found, layout: 'table', saved: id })), { replace: true })
    }
    return 'open'
  }, [id])
  if (reading.data !== 'gone') return <Reading of={reading} problem="The view could not be read." />
  return (
    <p class="notice warning" role="alert">
      This view does not exist any more, or it is not for you. <a href={hrefOf([])}>Show all templates</a>
    </p>
  )
}
