import type { ComponentChild } from 'preact'
import { chainName, formatCount, kindOf } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import { MiddleCut } from '../parts/middle-cut.tsx'
import { Time } from '../parts/time.tsx'
import { contentOf } from '../picture/ipfs-link.ts'
import { TraitValue } from '../template/trait-value.tsx'
import { type TableColumn, traitOf } from './columns.ts'
import { LastChange } from './last-change.tsx'
import { findTrait } from './values.ts'

/** Renders the content of a cell. On a narrow screen, names have two lines. */
export function renderContent(item: RowItem, { key }: TableColumn, isNarrow: boolean): ComponentChild {
  if (key === 'name' && item.name)
    return <MiddleCut text={item.name} fitting={isNarrow ? fittingNarrow : undefined} />
  const show = fields[key]
  if (show) return show(item) || none
  const trait = findTrait(item, traitOf(key) ?? '')
  return trait ? <TraitValue trait={trait} /> : none
}

const none = <span class="muted">–</span>

/** How many letters fit on two lines of a narrow name column. */
const fittingNarrow = 26

const fields: Record<string, (item: RowItem) => ComponentChild> = {
  name: () => <em>no name</em>,
  component: ({ componentName }) => kindOf(componentName),
  chain: ({ blockchainId }) => chainName(blockchainId),
  supply: ({ maxItems }) => formatCount(maxItems),
  state: ({ publicProduct }) => (
    <span class={publicProduct ? 'pill' : 'pill outlined'}>{publicProduct ? 'Public' : 'Not public'}</span>
  ),
  changed: item => <LastChange item={item} />,
  created: ({ timeCreated }) => <Time time={timeCreated} />,
  id: ({ id }) => String(id),
  productId: ({ document }) => String(document?.productId ?? ''),
  description: ({ document }) => document?.description,
  contentId: ({ document }) => {
    const id = contentOf(document?.image)
    return id && <MiddleCut text={id} />
  }
}
