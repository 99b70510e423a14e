/** The messages of a socket, which the library graphql-ws reads and answers. */

import { GraphQLError, type GraphQLSchema, parse } from 'graphql'
import { makeServer, type Server, GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol } from 'graphql-ws'
import type { Connection } from './connection.ts'
import { toOperation } from './operation.ts'

export { subprotocol }

/** Milliseconds that a client has to send `connection_init`. */
const connectionInitWaitTimeout = 3000
/** Operations that a socket may have at the same time. Subscriptions also count as streams of their token. */
const maxOperations = 100

export interface Extra {
  connection: Connection
}

export type Protocol = Server<Extra>

/** The library chooses by the type of an operation how to run it. Here, all run in the same way. */
const anyOperation = { document: parse('subscription { any }'), schema: null as unknown as GraphQLSchema }

/** Creates the protocol for all sockets of a service. */
export const createProtocol = (): Protocol =>
  makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout,
    onConnect: ({ extra, connectionParams }) => extra.connection.authenticate(connectionParams),
    onSubscribe(context, id, payload) {
      if (Object.keys(context.subscriptions).length > maxOperations)
        return [
          new GraphQLError(`a socket has at most ${maxOperations} operations at the same time`, {
            extensions: { code: 'TEMPORARILY_UNAVAILABLE' }
          })
        ]
      return { ...anyOperation, contextValue: toOperation(context, id, payload) }
    },
    subscribe: ({ contextValue }) => contextValue as AsyncGenerator<never>
  })
