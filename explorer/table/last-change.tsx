import { signal } from '@preact/signals'
import { formatUtcTime } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import { readField } from '../requests.ts'

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

interface Node {
  id: number
  revisions: { nodes: { number: number; author: { name: string } | null }[] }
}

/** The maximum number of names in memory. */
const maxNames = 5000
/** Templates per request. */
const pageSize = 50

const keyOf = (id: number, revision: number): string => `${id} ${revision}`

/** The author of each revision, by template and number; null if the revision has no author. */
const authors = signal<ReadonlyMap<string, string | null>>(new Map())

/** Returns the author of the last change; undefined if it is unknown yet. */
const authorOf = ({ id, revision }: RowItem): string | null | undefined =>
  authors.value.get(keyOf(id, revision))

const query = `query Authors($ids: [Int!]) { products(first: ${pageSize}, where: { id: { in: $ids } }) {
  nodes { id revisions(first: 1) { nodes { number author { name } } } } } }`

/** Reads the authors of the last changes. Only for visible rows, because the service looks up each template. */
export async function readAuthors(items: RowItem[], stop: AbortSignal): Promise<void> {
  const unknown = items.filter(item => authorOf(item) === undefined)
  for (let at = 0; at < unknown.length; at += pageSize) {
    const ids = unknown.slice(at, at + pageSize).map(({ id }) => id)
    const { nodes } = await readField<{ nodes: Node[] }>(query, { ids }, stop)
    const found = nodes.flatMap(({ id, revisions }) =>
      revisions.nodes.map(({ number, author }): [string, string | null] => [
        keyOf(id, number),
        author?.name ?? null
      ])
    )
    authors.value = new Map([...(authors.value.size > maxNames ? [] : authors.value), ...found])
  }
}
