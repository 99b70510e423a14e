import { plural } from '../words.ts'
import type { List } from './list.ts'

/** Offers the templates that appeared meanwhile: what the user looks at stays where it is until they ask for them. */
export function News({ list, onShow }: { list: List; onShow: () => void }) {
  const number = list.fresh.value.size
  return (
    <div class="news" role="status">
      {number > 0 && (
        <button type="button" class="button primary" onClick={onShow}>
          Show {plural(number, 'new template')}
        </button>
      )}
    </div>
  )
}
