import type { ExplorerAddition } from '../../explorer/additions.ts'

/** The explorer keeps views at the service, and can save them for all. */
export const explorer: ExplorerAddition = { viewStore: () => import('./explorer/store.ts') }
