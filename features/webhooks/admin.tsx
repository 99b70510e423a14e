import type { AdminAddition } from '../../explorer/admin/additions.ts'
import { Webhooks } from './explorer/webhooks.tsx'

/** What webhooks add to the pages for administrators. */
export const admin: AdminAddition = { tab: { name: 'webhooks', label: 'Webhooks', Page: Webhooks } }
