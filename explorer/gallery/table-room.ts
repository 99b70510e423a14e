import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export type TableRoom = typeof import('../table/room.ts')

const room = signal<TableRoom | undefined>(undefined)

/** Loads the code of the table on first use. Undefined until it is loaded. */
export function useTableRoom(isWanted: boolean): TableRoom | undefined {
  useEffect(() => {
    if (!isWanted || room.value) return
    import('../table/room.ts').then(loaded => {
      room.value = loaded
    })
  }, [isWanted])
  return room.value
}
