import type { Feature } from '../feature.ts'

/** The administration of users and clients, and the audit trail: in GraphQL, and pages of the explorer. */
export const administration: Feature = { schema: () => import('./resolvers.ts') }
