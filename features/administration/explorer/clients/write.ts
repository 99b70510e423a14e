import { runMutation } from '../../../../explorer/admin/mutation.ts'
import type {
  AddClientInput,
  AddClientPayload,
  OAuthClient,
  UpdateClientInput
} from '../../../../packages/client/schema.ts'

export const clientFields =
  'id displayName grantTypes scopes isPublic firstParty mayIntrospect redirectUris disabled'

/** The fields of a client that can be changed. */
export type Rights = Omit<OAuthClient, 'id' | 'isPublic' | 'disabled'>

export const addClient = (input: AddClientInput) =>
  runMutation<AddClientPayload>('addClient', { input: ['AddClientInput!', input] }, 'secret client { id }')

/** `overlap`: for how many seconds the old secret stays valid. */
export const rotateSecret = (id: string, overlap: number) =>
  runMutation<{ secret: string }>(
    'rotateClientSecret',
    { id: ['ID!', id], overlap: ['Int!', overlap] },
    'secret'
  )

export const updateClient = (id: string, input: UpdateClientInput) =>
  runMutation('updateClient', { id: ['ID!', id], input: ['UpdateClientInput!', input] })

export const deleteClient = (id: string) => runMutation('deleteClient', { id: ['ID!', id] })
