import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export type TableModule = typeof import('../table/index.ts')

const tableModule = signal<TableModule | undefined>(undefined)

/** Loads the code of the table on first use. Undefined until it is loaded. */
export function useTableModule(isWanted: boolean): TableModule | undefined {
  useEffect(() => {
    if (!isWanted || tableModule.value) return
    import('../table/index.ts').then(loaded => {
      tableModule.value = loaded
    })
  }, [isWanted])
  return tableModule.value
}
