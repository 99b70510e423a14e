import type { ExplorerAddition } from '../../explorer/additions.ts'

/** The explorer uploads pictures, and lets the service fetch those that it lacks. */
export const explorer: ExplorerAddition = { storesPictures: true }
