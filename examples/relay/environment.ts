import type { Client } from 'product-templates-client'
import type { Environment, FetchFunction, GraphQLTaggedNode, MutationParameters } from 'relay-runtime'
import relay from 'relay-runtime'

export function createEnvironment(url: string, { fetch }: Client) {
  const headers = { 'content-type': 'application/json' }
  const send: FetchFunction = async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables })
    return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()
  }
  return new relay.Environment({
    // Of two objects, no two have the same; `id` is only that of a template.
    getDataID: ({ nodeId }) => nodeId,
    network: relay.Network.create(send),
    store: new relay.Store(new relay.RecordSource())
  })
}

export const mutate = <Mutation extends MutationParameters>(
  environment: Environment,
  mutation: GraphQLTaggedNode,
  variables: Mutation['variables']
) =>
  new Promise<Mutation['response']>((onCompleted, onError) =>
    relay.commitMutation<Mutation>(environment, { mutation, variables, onCompleted, onError })
  )
