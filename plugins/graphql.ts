import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import { NoSchemaIntrospectionCustomRule } from 'graphql'
import mercurius from 'mercurius'
import { checkOperationSize, checkSource, FiniteNumbers } from '../graphql/document-limits.ts'
import { readDocuments, type TrustedDocuments } from '../graphql/documents.ts'
import { type ParsingContext, parseRequest } from '../graphql/execute.ts'
import { resolvers } from '../graphql/resolvers/index.ts'
import { toSubgraph } from '../graphql/subgraph.ts'
import type { ServiceSettings } from '../options.ts'
import { locate } from '../package-files.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The trusted documents; undefined without such. */
    productDocuments: TrustedDocuments | undefined
  }
}

/** Validation stops after this many errors. */
const maxValidationErrors = 5
/** Parsed documents in the cache. Mercurius also caches their sources, and as many invalid documents. */
const maxDocuments = 64

/** Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    const own = { schema: readFileSync(locate('graphql/schema.graphql'), 'utf8'), resolvers }
    const api = settings.graphqlSubgraph ? toSubgraph(own) : own
    await app.register(mercurius, {
      schema: api.schema,
      resolvers: api.resolvers as never,
      routes: false,
      // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
      jit: 0,
      cache: maxDocuments,
      // Errors stay unchanged; `maskErrors` (graphql/result.ts) masks the unexpected ones.
      errorFormatter: (execution: object) => ({ statusCode: 200, response: execution as never }),
      validationRules: [
        FiniteNumbers,
        ...(settings.graphqlIntrospection ? [] : [NoSchemaIntrospectionCustomRule])
      ],
      graphql: {
        parseOptions: { maxTokens: settings.graphqlMaxTokens },
        // graphql 16.15 has hideSuggestions, but Mercurius' types do not yet.
        validateOptions: { maxErrors: maxValidationErrors, hideSuggestions: true } as object
      }
    })
    app.graphql.addHook('preParsing', async (_schema, source) => checkSource(source, settings))
    app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, settings))
    app.graphql.addHook<ParsingContext>('preExecution', (_schema, document, { onValid }) => onValid(document))
    const check = (query: string) => parseRequest(app.graphql, { query })
    app.decorate('productDocuments', await readDocuments(settings, check))
  },
  { name: 'product-graphql', fastify: '5.x' }
)
