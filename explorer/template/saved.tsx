import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Written {
  id: number | undefined
  revision: number | undefined
  /** The revision whose contents were restored, if they were. */
  restored?: number
}

/** What the user wrote last, until they have seen it. */
export const saved = signal<Written | undefined>(undefined)

/** Tells the user what saving or restoring did, once. */
export function Saved({ id }: { id: number }) {
  useEffect(
    () => () => {
      saved.value = undefined
    },
    []
  )
  return (
    <span class="muted" role="status">
      {saved.value?.id === id && describe(saved.value)}
    </span>
  )
}

const describe = ({ revision, restored }: Written): string =>
  restored === undefined
    ? `Saved as revision ${revision}.`
    : `Revision ${restored} was restored, as revision ${revision}.`
