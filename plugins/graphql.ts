import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import { GraphQLError } from 'graphql'
import mercurius from 'mercurius'
import type { Context } from '../graphql/context.ts'
import { limits } from '../graphql/limits.ts'
import { Query } from '../graphql/resolvers/query.ts'
import { executed, type ReportInternal, type Result, refusalErrors, refused } from '../graphql/result.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productGraphql: (request: GraphqlRequest, context: Context, report: ReportInternal) => Promise<Result>
  }
}

/** A request of GraphQL over HTTP. */
export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

const schema = readFileSync(new URL('../graphql/schema.graphql', import.meta.url), 'utf8')

/** Mercurius without its routes: they would answer other media types, run a mutation on HEAD, and parse JSON as a document. */
export const graphql = fp(
  async app => {
    await app.register(mercurius, {
      schema,
      resolvers: { Query } as never,
      routes: false,
      // Compiled queries are kept by their text alone: of two operations in it the wrong one may run.
      jit: 0,
      cache: limits.keptDocuments,
      queryDepth: limits.maxDepth,
      // Errors stay as they are, for `executed` to tell the known from the unexpected.
      errorFormatter: execution => ({ statusCode: 200, response: execution }),
      graphql: {
        parseOptions: { maxTokens: limits.maxTokens },
        // graphql 16.15 knows hideSuggestions, Mercurius' types do not yet.
        validateOptions: { maxErrors: limits.maxErrors, hideSuggestions: true } as object
      }
    })
    app.decorate('productGraphql', async ({ query, variables, operationName }, context, report) => {
      if (!isDocument(query))
        return refused([new GraphQLError('the query is not a GraphQL document, or too long')])
      try {
        const result = await app.graphql(
          query,
          { ...context } as never,
          variables ?? {},
          operationName ?? undefined
        )
        return executed(result, report)
      } catch (error) {
        const errors = refusalErrors(error)
        if (!errors) throw error
        return refused(errors)
      }
    })
  },
  { name: 'product-graphql', fastify: '5.x' }
)

/** Mercurius would take a JSON text for a parsed document, and so pass by the limit on tokens. */
function isDocument(query: string): boolean {
  return query.length <= limits.maxSourceLength && !/^\s*(\{\s*["}]|["[\d]|null\b|true\b|false\b)/.test(query)
}
