import { signal } from '@preact/signals'
import { mayWrite } from '../api.ts'
import { hasDraft } from '../edit/kept-drafts.ts'
import { ExportButton } from '../export/export-dialog.tsx'
import { Chips, ClearAll } from '../filters/chips.tsx'
import { Facets } from '../filters/facets.tsx'
import { telling } from '../filters/telling.ts'
import { formatCount, humanName } from '../format.ts'
import { hrefOf, navigate, readRoute } from '../route.ts'
import { createSetting } from '../storage.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/inputs.tsx'
import { Popover } from '../ui/popover.tsx'
import { Segments } from '../ui/segments.tsx'
import { CardOptions } from './card-options.tsx'
import { type Criteria, isFiltered, type Layout, writeCriteria } from './criteria.ts'
import { maxCounted, total } from './items.ts'
import type { List } from './list.ts'
import { describeOrder, galleryOrders } from './orders.ts'
import { focusList } from './scrolling.ts'
import { beginSelection, selection } from './selection.ts'
import type { useTableModule } from './table-module.ts'

export interface BarProps {
  criteria: Criteria
  layout: Layout
  list: List
  isEmpty: boolean
  table: ReturnType<typeof useTableModule>
}

/** The bar above the templates: the count, the active filters and the buttons. */
export function Bar({ criteria, layout, list, isEmpty, table }: BarProps) {
  const isGallery = layout === 'gallery'
  // The page then has a main button of its own.
  const isEmptyShop = isEmpty && !isFiltered(criteria)
  return (
    <section class="bar across" aria-labelledby="gallery-title">
      <h1 id="gallery-title">Templates</h1>
      <Count list={list} filtered={isFiltered(criteria)} />
      <a class="deleted-link muted" href={hrefOf(['deleted'])}>
        Deleted<span class="hidden-visually"> templates</span>
      </a>
      <div class="end across">
        <LayoutSwitch criteria={criteria} layout={layout} />
        {isGallery && <CardOptions />}
        {isGallery && mayWrite() && !selection.value && !isEmpty && (
          <Button
            onClick={() => {
              beginSelection()
              focusList()
            }}
          >
            Select
          </Button>
        )}
        {isGallery && isNarrow.value && (
          <Popover label="Filters">
            <Facets criteria={criteria} list={list} />
          </Popover>
        )}
        {isGallery && <OrderSelect criteria={criteria} />}
        {!isGallery && table.data && <table.data.TableButtons criteria={criteria} list={list} />}
        {!selection.value && !isEmpty && (
          <ExportButton target={{ where: list.where ?? {} }} number={list.matches.value} />
        )}
        {mayWrite() && (
          <a class={isEmptyShop ? 'button' : 'button primary'} href={hrefOf(['new'])}>
            <span>
              New<span class="if-wide"> template</span>
            </span>
            {hasDraft({}) && <span class="unsaved">unsaved draft</span>}
          </a>
        )}
      </div>
      <div class="chosen across">
        <Chips criteria={criteria} />
        <ClearAll criteria={criteria} />
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

/** The select for the order. It includes the current order, even if only the table offers it. */
function OrderSelect({ criteria }: { criteria: Criteria }) {
  const { price, numbers = [] } = telling.value
  const orders = new Map(galleryOrders)
  for (const type of [...(price === undefined ? [] : [price]), ...numbers]) {
    orders.set(`trait.${type}`, `${humanName(type)}, lowest first`)
    orders.set(`-trait.${type}`, `${humanName(type)}, highest first`)
  }
  if (!orders.has(criteria.order)) orders.set(criteria.order, describeOrder(criteria.order))
  return (
    <Select
      class="order"
      aria-label="Order"
      value={criteria.order}
      choices={[...orders]}
      onChange={order => navigate(hrefOf([], writeCriteria({ ...criteria, order })))}
    />
  )
}

/** The layout that was chosen last. It applies if the address names none. */
export const lastLayout = createSetting<Layout>('layout', 'gallery')

/** Switches between cards and table at the same position in the list. */
function LayoutSwitch({ criteria, layout }: { criteria: Criteria; layout: Layout }) {
  const hrefFor = (layout: Layout) => {
    const params = writeCriteria({ ...criteria, layout })
    const from = readRoute().params.get('from')
    if (from) params.set('from', from)
    return hrefOf([], params)
  }
  const choose = (next: Layout) => {
    // Names the current layout in the address, so that going back returns to it.
    navigate(hrefFor(layout), { replace: true })
    lastLayout.value = next
    navigate(hrefFor(next))
  }
  return (
    <Segments
      label="View"
      chosen={layout}
      choices={[
        { value: 'gallery', content: 'Gallery' },
        { value: 'table', content: 'Table' }
      ]}
      onChoose={choose}
    />
  )
}

const query = matchMedia('(max-width: 820px)')

/** Whether the screen is too narrow for filters beside the gallery. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', () => {
  isNarrow.value = query.matches
})
