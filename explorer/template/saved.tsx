import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface LastSave {
  id: number | undefined
  revision: number | undefined
  /** The restored revision, if there was a restoration. */
  restored?: number
}

/** The last write of the user. It is cleared when the message disappears. */
export const lastSave = signal<LastSave | undefined>(undefined)

/** Shows the result of saving or restoring. */
export function Saved({ id }: { id: number }) {
  useEffect(
    () => () => {
      lastSave.value = undefined
    },
    []
  )
  return (
    <span class="muted" role="status">
      {lastSave.value?.id === id && describe(lastSave.value)}
    </span>
  )
}

const describe = ({ revision, restored }: LastSave): string =>
  restored === undefined
    ? `Saved as revision ${revision}.`
    : `Revision ${restored} was restored, as revision ${revision}.`
