import { Segments } from '../parts/segments.tsx'
import { go, hrefOf, readPlace } from '../place.ts'
import { createSetting } from '../remembered.ts'
import { type View, type Wanted, writeWanted } from './wanted.ts'

/** The view that the user chose last: that of addresses without one. */
export const lastView = createSetting<View>('view', 'gallery')

/** Switches between cards and table. The place in the list stays. */
export function ViewSwitch({ wanted, view }: { wanted: Wanted; view: View }) {
  const hrefFor = (view: View) => {
    const params = writeWanted({ ...wanted, view })
    const from = readPlace().params.get('from')
    if (from) params.set('from', from)
    return hrefOf([], params)
  }
  const choose = (next: View) => {
    // The way back leads to the view before, so its address has to name it.
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
