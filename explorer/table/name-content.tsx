import type { ComponentChildren } from 'preact'
import { mayWrite } from '../api.ts'
import type { RowItem } from '../gallery/items.ts'
import { isSelected } from '../gallery/selection.ts'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { hrefOf } from '../route.ts'

interface Props {
  item: RowItem
  isSelectable: boolean
  isEditing: boolean
  /** The name or its editor. */
  children: ComponentChildren
}

/**
 * The first cell of a row: checkbox, picture and name. The picture opens the template. For users who cannot edit, the
 * name does too.
 */
export function NameContent({ item, isSelectable, isEditing, children }: Props) {
  const { id, name, document } = item
  const href = hrefOf(['templates', id])
  const text = name || `template ${id}`
  return (
    <>
      {isSelectable && (
        <span class="select">
          <input type="checkbox" tabIndex={-1} aria-label={`Select ${text}`} checked={isSelected(id)} />
        </span>
      )}
      <a href={href} tabIndex={-1} class="picture" aria-label={`Open ${text}`}>
        <TemplatePicture image={document?.image} name={name} />
      </a>
      {isEditing ? (
        children
      ) : (
        <span class="name" title={name}>
          {mayWrite() ? (
            children
          ) : (
            <a href={href} tabIndex={-1}>
              {children}
            </a>
          )}
        </span>
      )}
      {mayWrite() && !isEditing && (
        <a href={href} tabIndex={-1} class="button open">
          Open
        </a>
      )}
    </>
  )
}
