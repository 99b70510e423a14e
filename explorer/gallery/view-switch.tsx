import { Segments } from '../parts/segments.tsx'
import { go, hrefOf, readPlace } from '../place.ts'
import { createSetting } from '../remembered.ts'
import { type View, type Wanted, writeWanted } from './wanted.ts'

/** The view that was chosen last. It applies if the address names none. */
export const lastView = createSetting<View>('view', 'gallery')

/** Switches between cards and table at the same position in the list. */
export function ViewSwitch({ wanted, view }: { wanted: Wanted; view: View }) {
  const hrefFor = (view: View) => {
    const params = writeWanted({ ...wanted, view })
    const from = readPlace().params.get('from')
    if (from) params.set('from', from)
    return hrefOf([], params)
  }
  const choose = (next: View) => {
    // Names the current view in the address, so that going back returns to it.
    go(hrefFor(view), { replace: true })
    lastView.value = next
    go(hrefFor(next))
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
