import { Segments } from '../parts/segments.tsx'
import { hrefOf, navigate, readRoute } from '../route.ts'
import { createSetting } from '../storage.ts'
import { type Criteria, type View, writeCriteria } from './criteria.ts'

/** The view that was chosen last. It applies if the address names none. */
export const lastView = createSetting<View>('view', 'gallery')

/** Switches between cards and table at the same position in the list. */
export function ViewSwitch({ criteria, view }: { criteria: Criteria; view: View }) {
  const hrefFor = (view: View) => {
    const params = writeCriteria({ ...criteria, view })
    const from = readRoute().params.get('from')
    if (from) params.set('from', from)
    return hrefOf([], params)
  }
  const choose = (next: View) => {
    // Names the current view in the address, so that going back returns to it.
    navigate(hrefFor(view), { replace: true })
    lastView.value = next
    navigate(hrefFor(next))
  }
  return (
    <Segments
      label="View"
      chosen={view}
      choices={[
        { value: 'gallery', content: 'Gallery' },
        { value: 'table', content: 'Table' }
      ]}
      onChoose={choose}
    />
  )
}
