import { useEffect, useState } from 'preact/hooks'
import { Facets } from '../filters/facets.tsx'
import { type Criteria, readCriteria, writeCriteria } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { openedView } from '../gallery/table-module.ts'
import { hrefOf, navigate } from '../route.ts'
import { Popover } from '../ui/popover.tsx'
import { Loading } from '../ui/reading.tsx'
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
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const open = async () => {
      const view = (await listViews()).find(view => view.id === id)
      if (!view) return setProblem('This view does not exist any more, or it is not for you.')
      openedView.value = view
      if (criteria.layout === undefined) {
        const found = readCriteria(new URLSearchParams(view.query))
        navigate(hrefOf([], writeCriteria({ ...found, layout: 'table', saved: id })), { replace: true })
      }
    }
    open().catch(() => setProblem('The view could not be read.'))
  }, [id])
  if (problem === undefined) return <Loading />
  return (
    <p class="notice warning" role="alert">
      {problem} <a href={hrefOf([])}>Show all templates</a>
    </p>
  )
}
