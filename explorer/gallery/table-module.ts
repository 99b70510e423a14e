import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { NamedView } from '../additions.ts'

export type TableModule = typeof import('../table/table.tsx')

const tableModule = signal<TableModule | undefined>(undefined)

/** Loads the code of the table on first use. Undefined until it is loaded. */
export function useTableModule(isWanted: boolean): TableModule | undefined {
  useEffect(() => {
    if (!isWanted || tableModule.value) return
    import('../table/table.tsx').then(loaded => {
      tableModule.value = loaded
    })
  }, [isWanted])
  return tableModule.value
}

/**
 * The saved view that the address names. While it is open, the table has its columns instead of the user's own ones.
 */
export const openedView = signal<NamedView | undefined>(undefined)
