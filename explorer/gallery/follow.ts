import type { ChangeEvent } from '../../packages/client/index.ts'
import { watchChanges } from '../live.ts'
import type { List } from './list.ts'

/**
 * Milliseconds before the first update and between two updates, so that the many changes of an import are handled
 * together.
 */
const firstPause = 300
const pause = 2000
/** The maximum share of time spent on updates, because counting many templates costs the service time. */
const maxBusyShare = 0.05

/** Keeps a list and its counts up to date until the returned function is called. */
export function followList(list: List): () => void {
  let changes: ChangeEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const update = async () => {
    const begun = performance.now()
    const seen = changes
    changes = []
    const created = seen.filter(({ action }) => action === 'INSERT').map(({ id }) => id)
    const ids = [...new Set(seen.map(({ id }) => id))]
    await Promise.all([list.refresh(ids), list.findNew(created), list.recount()]).catch(() => {})
    timer = setTimeout(again, Math.max(pause, (performance.now() - begun) / maxBusyShare))
  }
  const again = () => {
    timer = undefined
    if (changes.length > 0) whenVisible()
  }
  // Waits until the user looks at the page.
  const whenVisible = () => {
    if (document.hidden) document.addEventListener('visibilitychange', whenVisible, { once: true })
    else update()
  }
  const unwatch = watchChanges(change => {
    if (changes.push(change) === 1 && timer === undefined) timer = setTimeout(whenVisible, firstPause)
  })
  return () => {
    unwatch()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', whenVisible)
  }
}
