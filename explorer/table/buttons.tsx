import { Facets } from '../filters/facets.tsx'
import type { Criteria } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { Popover } from '../parts/popover.tsx'
import { ColumnList } from './column-list.tsx'

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
    </>
  )
}
