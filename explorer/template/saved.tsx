import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** What the user saved last, until they have seen it. */
export const saved = signal<{ id?: number | undefined; revision?: number | undefined }>({})

/** Tells the user what saving did, once. */
export function Saved({ id }: { id: number }) {
  useEffect(
    () => () => {
      saved.value = {}
    },
    []
  )
  return (
    <span class="muted" role="status">
      {saved.value.id === id && `Saved as revision ${saved.value.revision}.`}
    </span>
  )
}
