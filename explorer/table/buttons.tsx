import { Facets } from '../filters/facets.tsx'
import type { List } from '../gallery/list.ts'
import type { Wanted } from '../gallery/wanted.ts'
import { Popover } from '../parts/popover.tsx'
import { ColumnList } from './column-list.tsx'

/** The buttons of the table in the bar. */
export function TableButtons({ wanted, list }: { wanted: Wanted; list: List }) {
  return (
    <>
      <Popover label="Filters">
        <Facets wanted={wanted} list={list} />
      </Popover>
      <Popover label="Columns">
        <ColumnList />
      </Popover>
    </>
  )
}
