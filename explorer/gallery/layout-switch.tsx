import { Segments } from '../parts/segments.tsx'
import { hrefOf, navigate, readRoute } from '../route.ts'
import { createSetting } from '../storage.ts'
import { type Criteria, type Layout, writeCriteria } from './criteria.ts'

/** The layout that was chosen last. It applies if the address names none. */
export const lastLayout = createSetting<Layout>('layout', 'gallery')

/** Switches between cards and table at the same position in the list. */
export function LayoutSwitch({ criteria, layout }: { criteria: Criteria; layout: Layout }) {
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
