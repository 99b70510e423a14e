import { formatUtcTime } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import { authorOf } from './authors.ts'

/** The time and the author of the last change. */
export function LastChange({ item }: { item: RowItem }) {
  const author = authorOf(item)
  const time = item.timeModified
  return (
    <span class="muted" title={[formatUtcTime(time), author].filter(Boolean).join(' · ')}>
      <time dateTime={time}>{shortTime(time)}</time>
      {author && ` · ${author}`}
    </span>
  )
}

/** In the language of the page, because it is a phrase. Short, because `12m` looks like metres. */
const relative = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'auto' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** Formats a time relative to now; after a day, as a date. */
function shortTime(time: string): string {
  const [then, now] = [new Date(time), new Date()]
  const minutes = Math.floor((now.getTime() - then.getTime()) / 60_000)
  if (minutes === 0) return relative.format(0, 'second')
  if (minutes > 0 && minutes < 60) return relative.format(-minutes, 'minute')
  if (minutes > 0 && minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), 'hour')
  return (then.getFullYear() === now.getFullYear() ? day : dayOfYear).format(then)
}
