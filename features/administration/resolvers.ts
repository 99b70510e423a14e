import { readFileSync } from 'node:fs'
import { grantTypes } from '../../domain/rights.ts'
import type { WithDemands } from '../../graphql/admission/demands.ts'
import type { Scoped } from '../../graphql/admission/scopes.ts'
import { addToApi, type SchemaChange } from '../../graphql/api.ts'
import { locate } from '../../runtime/package/package-files.ts'
import { auditEvents } from './audit-events.ts'
import { clientMutations, clientQueries } from './clients.ts'
import { userMutations, userQueries } from './users.ts'

const Query = { auditEvents, ...clientQueries, ...userQueries } satisfies Record<string, WithDemands>

const Mutation = { ...userMutations, ...clientMutations } satisfies Record<string, WithDemands<Scoped>>

const text = readFileSync(locate('features/administration/schema.graphql'), 'utf8')
const types = text.replace('GRANT_TYPES', grantTypes.map(name => `\`${name}\``).join(', '))

/** Adds users, clients and the audit trail to the schema and the resolvers. */
export const schema: SchemaChange = { extendSchema: api => addToApi(api, types, { Query, Mutation }) }
