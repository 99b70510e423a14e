import type { ExplorerPart } from '../../explorer/feature-parts.ts'

/** The explorer keeps views at the service, and can save them for all. */
export const explorer: ExplorerPart = { viewStore: () => import('./explorer/store.ts') }
