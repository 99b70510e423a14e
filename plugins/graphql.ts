import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import { NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from 'graphql'
import mercurius from 'mercurius'
import { locate } from '../files/locate.ts'
import { admitOperation } from '../graphql/admission.ts'
import { readManifest } from '../graphql/documents.ts'
import type { ExecutionContext } from '../graphql/execute.ts'
import { DocumentValue } from '../graphql/input/document-input.ts'
import { checkOperationSize, checkSource, FiniteNumbers } from '../graphql/limits.ts'
import { resolvers } from '../graphql/resolvers/index.ts'
import { createSubgraphResolvers, subgraphTypes } from '../graphql/subgraph.ts'
import { readJson } from '../options/json.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Trusted documents by their identifiers, and whether all others are refused; undefined without such. */
    productDocuments: { byId: ReadonlyMap<string, string>; isOnly: boolean } | undefined
  }
}

/** Validation stops after this many errors. */
const maxValidationErrors = 5
/** Number of parsed documents in the cache. Mercurius also caches their sources, and as many invalid documents. */
const maxDocuments = 64

/** Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    const schema = readFileSync(locate('graphql/schema.graphql'), 'utf8')
    const subgraph = settings.graphqlSubgraph ? createSubgraphResolvers(schema) : undefined
    const validationRules = [
      FiniteNumbers,
      ...(settings.graphqlIntrospection ? [] : [NoSchemaIntrospectionCustomRule])
    ]
    const parseOptions = { maxTokens: settings.graphqlMaxTokens }
    // graphql 16.15 has hideSuggestions, but Mercurius' types do not yet.
    const validateOptions: object = { maxErrors: maxValidationErrors, hideSuggestions: true }
    await app.register(mercurius, {
      schema: subgraph ? schema + subgraphTypes : schema,
      resolvers: {
        ...resolvers,
        DocumentValue,
        ...(subgraph && { ...subgraph, Query: { ...resolvers.Query, ...subgraph.Query } })
      } as never,
      routes: false,
      // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
      jit: 0,
      cache: maxDocuments,
      // Errors stay unchanged; `toExecutedResult` masks the unexpected ones.
      errorFormatter: (execution: object) => ({ statusCode: 200, response: execution as never }),
      validationRules,
      graphql: { parseOptions, validateOptions }
    })
    const limit = {
      depth: settings.graphqlMaxDepth,
      aliases: settings.graphqlMaxAliases,
      directives: settings.graphqlMaxDirectives
    }
    const maxLength = settings.graphqlMaxSourceLength
    app.graphql.addHook('preParsing', async (_schema, source) => checkSource(source, maxLength))
    app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, limit))
    app.graphql.addHook<ExecutionContext>('preExecution', admitOperation)
    const rules = [...specifiedRules, ...validationRules]
    // As Mercurius and the hooks check what is sent.
    const check = (text: string) => {
      checkSource(text, maxLength)
      const document = parse(text, parseOptions)
      checkOperationSize(document, limit)
      const [error] = validate(app.graphql.schema, document, rules, validateOptions)
      if (error) throw error
    }
    app.decorate('productDocuments', await readDocuments(settings, check))
  },
  { name: 'product-graphql', fastify: '5.x' }
)

async function readDocuments(
  { graphqlDocuments: given, graphqlDocumentsOnly: isOnly }: ServiceSettings,
  check: (text: string) => void
) {
  if (given === undefined) return undefined
  const setting = { name: 'GRAPHQL_DOCUMENTS', code: 'PTS_BAD_DOCUMENTS' } as const
  const byId = await readJson(setting, given, (manifest, json) => readManifest(manifest, json, check))
  return { byId, isOnly }
}
