import { signal } from '@preact/signals'
import type { NamedView } from '../additions.ts'
import { reloadStyles } from '../ui/lazy.tsx'
import { useRead } from '../ui/use-read.ts'

const tableModule = signal<typeof import('../table/table.tsx') | undefined>(undefined)

/** Loads the code of the table on first use. */
export function useTableModule(isWanted: boolean) {
  const load = async () => {
    reloadStyles()
    tableModule.value = await import('../table/table.tsx')
  }
  const reading = useRead(() => (isWanted && !tableModule.value ? load() : undefined), [isWanted])
  return { ...reading, data: tableModule.value }
}

/**
 * The saved view that the address names. While it is open, the table has its columns instead of the user's own ones.
 */
export const openedView = signal<NamedView | undefined>(undefined)
