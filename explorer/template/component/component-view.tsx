import type { FunctionComponent } from 'preact'
import type { Full } from '../read.ts'
import { Product } from './product.tsx'
import { TrackingRecord } from './tracking-record.tsx'

const views = new Map<string, FunctionComponent<{ template: Full }>>([
  ['DefaultProduct', Product],
  ['TrackingRecord', TrackingRecord]
])

/** The item as its component shows it to people. Nothing for a name that is not known: its traits say all. */
export function ComponentView({ template }: { template: Full }) {
  const View = views.get(template.componentName)
  return View ? <View template={template} /> : null
}
