import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export type TableRoom = typeof import('../table/room.ts')

const room = signal<TableRoom | undefined>(undefined)

/** The code of the table, once it is there. It is loaded by those who use it. */
export function useTableRoom(isWanted: boolean): TableRoom | undefined {
  useEffect(() => {
    if (!isWanted || room.value) return
    import('../table/room.ts').then(loaded => {
      room.value = loaded
    })
  }, [isWanted])
  return room.value
}
