import type { Db } from '../schema.ts'

/** The `sub` and `client_id` of a token; null if unknown. */
export interface Actor {
  subject: string | null
  clientId: string | null
  /** The name of a subject that is not a user of the store. */
  name: string | null
}

/**
 * Finds the names of at most 100 actors for people, in their order; null for one without a client. `name` is the first
 * and last name of the user, otherwise the name from the issuer or the host, otherwise that of the client. `clientName`
 * is the display name of the client, or its id.
 */
export async function findActorNames(db: Db, actors: Actor[]) {
  const subjects = distinct(actors.map(({ subject }) => subject))
  const clientIds = distinct(actors.map(({ clientId }) => clientId))
  const users = subjects.length > 0 ? await selectUsers(db, subjects) : []
  const clients = clientIds.length > 0 ? await selectClients(db, clientIds) : []
  const userNames = new Map(users.map(({ id, first, last }) => [id, `${first} ${last}`.trim()]))
  const clientNames = new Map(clients.map(({ id, name }) => [id, name]))
  return actors.map(({ subject, clientId, name }) => {
    if (clientId === null) return null
    const clientName = clientNames.get(clientId) || clientId
    return { name: userNames.get(subject ?? '') || name || clientName, clientName }
  })
}

const selectUsers = (db: Db, ids: string[]) =>
  db
    .selectFrom('product_user')
    .select(['id', 'first_name as first', 'last_name as last'])
    .where('id', 'in', ids)
    .execute()

const selectClients = (db: Db, ids: string[]) =>
  db.selectFrom('product_client').select(['id', 'display_name as name']).where('id', 'in', ids).execute()

const distinct = (ids: (string | null)[]): string[] => [...new Set(ids.filter(id => id !== null))]
