import type { ChangeEvent } from '../../client/index.ts'
import { watchChanges } from '../live.ts'
import type { List } from './list.ts'

/** Milliseconds in which changes gather, and between two looks at them: an import is many changes. */
const firstPause = 300
const pause = 2000

/** Keeps a list, its counts and the number of new templates as they are in the service, until the returned function is called. */
export function followList(list: List): () => void {
  let changes: ChangeEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    const seen = changes
    changes = []
    const created = seen.filter(({ action }) => action === 'INSERT').map(({ id }) => id)
    const ids = [...new Set(seen.map(({ id }) => id))]
    await Promise.all([list.refresh(ids), list.findNew(created), list.recount()]).catch(() => {})
    timer = setTimeout(again, pause)
  }
  const again = () => {
    timer = undefined
    if (changes.length > 0) look()
  }
  const unwatch = watchChanges(change => {
    changes.push(change)
    timer ??= setTimeout(look, firstPause)
  })
  return () => {
    unwatch()
    clearTimeout(timer)
  }
}
