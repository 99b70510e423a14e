import type { ClientRights, NewClient } from '../../accounts/client-input.ts'
import * as accounts from '../../accounts/clients.ts'
import { transact } from '../../db/transaction.ts'
import { freeItems } from '../../graphql/admission/demands.ts'
import { adminMutation, adminQuery, type Update } from '../../graphql/resolvers/admin-fields.ts'

export const clientQueries = {
  clients: adminQuery({ items: freeItems }, (_args, { reader }) => accounts.listClients(reader.primary))
}

export const clientMutations = {
  addClient: adminMutation(async ({ input }: { input: NewClient }, { caller, writeDb }) =>
    accounts.addClient(writeDb, input, caller)
  ),

  rotateClientSecret: adminMutation(
    async ({ id, overlap = 0 }: { id: string; overlap?: number }, { caller, writeDb }) => {
      const secret = await accounts.rotateSecret(writeDb, id, { overlap }, caller)
      return { client: await accounts.findClient(writeDb, id), secret }
    }
  ),

  updateClient: adminMutation(async ({ id, input }: Update<ClientRights>, { caller, writeDb }) => {
    const { disabled, ...rights } = input
    return transact(writeDb, async transaction => {
      const before = await accounts.requireClient(transaction, id)
      if (Object.keys(rights).length > 0) await accounts.updateClient(transaction, id, rights, caller)
      if ((disabled ?? before.disabled) !== before.disabled)
        await (disabled ? accounts.disableClient : accounts.enableClient)(transaction, id, caller)
      return { client: await accounts.requireClient(transaction, id) }
    })
  }),

  deleteClient: adminMutation(async ({ id }: { id: string }, { caller, writeDb }) => {
    await accounts.deleteClient(writeDb, id, caller)
    return { deletedId: id }
  })
}
