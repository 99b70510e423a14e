import { mayWrite } from '../api.ts'
import { hasDraft } from '../edit/kept-drafts.ts'
import { ExportButton } from '../export/export-button.tsx'
import { Chips, ClearAll } from '../filters/chips.tsx'
import { Facets } from '../filters/facets.tsx'
import { formatCount } from '../format.ts'
import { Popover } from '../parts/popover.tsx'
import { hrefOf } from '../route.ts'
import { CardOptions } from './card-options.tsx'
import { type Criteria, isFiltered, type Layout } from './criteria.ts'
import { maxCounted, total } from './items.ts'
import { LayoutSwitch } from './layout-switch.tsx'
import type { List } from './list.ts'
import { isNarrow } from './narrow.ts'
import { OrderSelect } from './order-select.tsx'
import { beginSelection, selection } from './selection.ts'
import type { TableModule } from './table-module.ts'

interface Props {
  criteria: Criteria
  layout: Layout
  list: List
  isEmpty: boolean
  tableModule: TableModule | undefined
}

/** The bar above the templates: the count, the active filters and the buttons. */
export function Bar({ criteria, layout, list, isEmpty, tableModule }: Props) {
  const isGallery = layout === 'gallery'
  return (
    <section class="bar" aria-labelledby="gallery-title">
      <h1 id="gallery-title">Templates</h1>
      <Count list={list} filtered={isFiltered(criteria)} />
      <Chips criteria={criteria} />
      <ClearAll criteria={criteria} />
      <a class="deleted-link muted" href={hrefOf(['deleted'])}>
        Deleted<span class="hidden-visually"> templates</span>
      </a>
      <div class="end">
        <LayoutSwitch criteria={criteria} layout={layout} />
        {isGallery && <CardOptions />}
        {isGallery && mayWrite() && !selection.value && !isEmpty && (
          <button type="button" class="button" onClick={beginSelection}>
            Select
          </button>
        )}
        {isGallery && isNarrow.value && (
          <Popover label="Filters">
            <Facets criteria={criteria} list={list} />
          </Popover>
        )}
        {isGallery && <OrderSelect criteria={criteria} />}
        {!isGallery && tableModule && <tableModule.TableButtons criteria={criteria} list={list} />}
        {!selection.value && !isEmpty && (
          <ExportButton where={list.where ?? {}} number={list.matches.value} />
        )}
        {mayWrite() && (
          <a class="button primary" href={hrefOf(['new'])}>
            <span>
              New<span class="if-wide"> template</span>
            </span>
            {hasDraft({}) && <span class="unsaved">unsaved draft</span>}
          </a>
        )}
      </div>
    </section>
  )
}

/** The number of matching templates. Screen readers announce it. */
function Count({ list, filtered }: { list: List; filtered: boolean }) {
  const [matches, all] = [list.matches.value, filtered ? total.value : undefined]
  const counts = [matches, all].filter(number => number !== undefined).map(formatCount)
  if (list.hasUncounted) counts[0] = `${formatCount(maxCounted)}+`
  return (
    <p class="muted" role="status">
      {counts.join(' of ')}
      <span class="hidden-visually"> templates</span>
    </p>
  )
}
