import type { AdminPart } from '../../explorer/admin/parts.ts'
import { Webhooks } from './explorer/webhooks.tsx'

/** What webhooks add to the pages for administrators. */
export const admin: AdminPart = { tab: { name: 'webhooks', label: 'Webhooks', Page: Webhooks } }
