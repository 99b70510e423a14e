/** GraphQL Yoga on the given database, without tokens. */
import { createServer } from 'node:http'
import { createSchema, createYoga } from 'graphql-yoga'
import { resolvers, typeDefs } from './plain-store.ts'
import { serveAt } from './serve.ts'

const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false })
serveAt(createServer(yoga), yoga.graphqlEndpoint)
