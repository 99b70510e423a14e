import type { ExplorerAddition } from '../../explorer/additions.ts'

/** The explorer has pages for administrators. */
export const explorer: ExplorerAddition = {
  adminPage: () => import('./explorer/admin.tsx').then(({ Admin }) => Admin)
}
