import type { OAuthClient } from '../../../packages/client/schema.ts'
import { runMutation } from '../mutation.ts'

export const clientFields =
  'id displayName grantTypes scopes isPublic firstParty mayIntrospect redirectUris disabled'

const errors = 'userErrors { code message path }'

/** The fields of a client that can be changed. */
export type Rights = Omit<OAuthClient, 'id' | 'isPublic' | 'disabled'>

export const addClient = (input: { id: string; isPublic: boolean } & Rights) =>
  runMutation<{ client: OAuthClient; secret: string | null }>(
    `mutation AddClient($input: AddClientInput!) {
      addClient(input: $input) { secret client { id } ${errors} } }`,
    { input }
  )

/** `overlap`: for how many seconds the old secret stays valid. */
export const rotateSecret = (id: string, overlap: number) =>
  runMutation<{ secret: string }>(
    `mutation RotateSecret($id: ID!, $overlap: Int!) {
      rotateClientSecret(id: $id, overlap: $overlap) { secret ${errors} } }`,
    { id, overlap }
  )

export const updateClient = (id: string, input: Partial<Rights> & { disabled?: boolean }) =>
  runMutation(
    `mutation UpdateClient($id: ID!, $input: UpdateClientInput!) {
      updateClient(id: $id, input: $input) { ${errors} } }`,
    { id, input }
  )

export const deleteClient = (id: string) =>
  runMutation(`mutation DeleteClient($id: ID!) { deleteClient(id: $id) { ${errors} } }`, { id })
