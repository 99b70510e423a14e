import { hasDraft } from '../edit/kept-drafts.ts'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { hrefOf } from '../route.ts'
import { MiddleCut } from '../ui/middle-cut.tsx'
import './card.css'
import { hasSecondLine, readFacts } from './card-facts.ts'
import type { Item } from './items.ts'
import { isSelected, selection } from './selection.ts'

interface Props {
  item: Item
  /** How many letters of the name fit on two lines; undefined if the name has one line. */
  fitting: number | undefined
  onSelect: (id: number, extend: boolean) => void
}

export function Card({ item, fitting, onSelect }: Props) {
  const { id, name, publicProduct, document } = item
  const { line, key, price } = readFacts(item)
  const isSelecting = selection.value !== undefined
  const select = (event: MouseEvent | KeyboardEvent) => {
    // With these keys, the browser opens a new tab.
    if (!isSelecting || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onSelect(id, event.shiftKey)
  }
  const selecting = {
    role: 'checkbox',
    'aria-checked': isSelected(id),
    'aria-label': name || `Template ${id}`,
    onClick: select,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === ' ') select(event)
    }
  } as const
  return (
    <a
      class="template-card card"
      href={hrefOf(['templates', id])}
      data-id={id}
      {...(isSelecting && selecting)}
    >
      {isSelecting && <span class="check-mark">{isSelected(id) && '✓'}</span>}
      <TemplatePicture image={document?.image} name={name} />
      <span class="badges">
        {!publicProduct && <span>Not public</span>}
        {hasDraft({ id }) && <span class="draft">Unsaved draft</span>}
      </span>
      <span class="words">
        <span class="name" title={name}>
          {name ? <MiddleCut text={name} fitting={fitting} /> : <em>no name</em>}
        </span>
        <span class="facts line cut" title={line}>
          {line}
        </span>
        {hasSecondLine() && (
          <span class="facts">
            <span class="key cut" title={key}>
              {key}
            </span>{' '}
            <span class="price cut">{price}</span>
          </span>
        )}
      </span>
    </a>
  )
}
