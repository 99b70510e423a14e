import { Facets } from '../filters/facets.tsx'
import type { Criteria } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { Popover } from '../parts/popover.tsx'
import { ColumnList } from './column-list.tsx'
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
