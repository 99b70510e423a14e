// npm install @apollo/gateway @apollo/server @apollo/subgraph graphql
// The service runs with GRAPHQL_SUBGRAPH=true. One graph of two services: its templates, and the orders below.
import {
  ApolloGateway,
  type GraphQLDataSourceProcessOptions,
  IntrospectAndCompose,
  RemoteGraphQLDataSource
} from '@apollo/gateway'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'

interface Order {
  id: string
  /** The template that it is for. */
  product: number
  quantity: number
}

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])

  type Query {
    orders: [Order!]!
  }

  type Order @key(fields: "id") {
    id: ID!
    quantity: Int!
    product: ProductTemplate
  }

  type ProductTemplate @key(fields: "id") {
    id: Int!
    orders: [Order!]!
  }
`)

/** The service with the orders. It knows the keys of templates only. */
export async function startOrders(orders: Order[], port = 4001) {
  const resolvers = {
    Query: { orders: () => orders },
    Order: { product: ({ product }: Order) => ({ id: product }) },
    ProductTemplate: { orders: ({ id }: { id: number }) => orders.filter(({ product }) => product === id) }
  }
  const server = new ApolloServer({ schema: buildSubgraphSchema({ typeDefs, resolvers }) })
  return { server, ...(await startStandaloneServer(server, { listen: { port } })) }
}

interface Context {
  authorization?: string | undefined
}

/** Passes the token of the request on: what its user may read is decided by the service. */
class WithToken extends RemoteGraphQLDataSource<Context> {
  override willSendRequest({ request, context }: GraphQLDataSourceProcessOptions<Context>) {
    if (context.authorization) request.http?.headers.set('authorization', context.authorization)
  }
}

/** `token` reads the schema of the templates. */
export async function startGateway(templates: string, orders: string, token: string, port = 4000) {
  const gateway = new ApolloGateway({
    supergraphSdl: new IntrospectAndCompose({
      subgraphs: [
        { name: 'templates', url: templates },
        { name: 'orders', url: orders }
      ],
      introspectionHeaders: { authorization: `Bearer ${token}` }
    }),
    buildService: ({ url }) => new WithToken({ url: url as string })
  })
  const server = new ApolloServer<Context>({ gateway })
  const context = async ({ req }: { req: { headers: Context } }) => ({
    authorization: req.headers.authorization
  })
  return { server, ...(await startStandaloneServer(server, { listen: { port }, context })) }
}
