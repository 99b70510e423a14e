/** Apollo Server on the given database, without tokens. */
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { resolvers, typeDefs } from './plain-store.ts'
import { announce } from './serve.ts'

const server = new ApolloServer({ typeDefs, resolvers })
const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
announce(new URL('/graphql', url).href)
