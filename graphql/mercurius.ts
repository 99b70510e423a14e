/** Everything that depends on Mercurius, which parses, validates and executes documents, and keeps the valid ones. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  NoSchemaIntrospectionCustomRule
} from 'graphql'
import mercurius, { type MercuriusPlugin } from 'mercurius'
import type { ServiceSettings } from '../options.ts'
import { locate } from '../package-files.ts'
import { checkOperationSize, checkSource, FiniteNumbers } from './document-limits.ts'
import type { Context } from './execution/fields.ts'
import type { GraphqlRequest } from './input.ts'
import { resolvers } from './resolvers/index.ts'
import { toSubgraph } from './subgraph.ts'

/** Validation stops after this many errors. */
const maxValidationErrors = 5
/** Parsed documents in the cache. Mercurius also caches their sources, and as many invalid documents. */
const maxDocuments = 64

/** Adds Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document. */
export async function addMercurius(app: FastifyInstance, settings: ServiceSettings): Promise<void> {
  const own = { schema: readFileSync(locate('graphql/schema.graphql'), 'utf8'), resolvers }
  const api = settings.graphqlSubgraph ? toSubgraph(own) : own
  await app.register(mercurius, {
    schema: api.schema,
    resolvers: api.resolvers as never,
    routes: false,
    // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
    jit: 0,
    cache: maxDocuments,
    // Errors stay unchanged; `maskErrors` (graphql/errors.ts) masks the unexpected ones.
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
}

/** The context of Mercurius before a document is executed. */
interface ParsingContext {
  /** Called with a valid document. Resolves with the variables to execute it with. */
  onValid(document: DocumentNode): Promise<{ variables: object }>
}

/** A valid document. */
export interface Parsed {
  document: DocumentNode
  /** Executes it with variables that have been checked. */
  execute(context: Context, variables: object): Promise<ExecutionResult>
}

/**
 * Parses and validates a document. Mercurius does this and executes the document in one call. In between, its hook
 * `preExecution` calls `onValid`, and waits there until `execute` is called.
 */
export async function parseRequest(
  graphql: MercuriusPlugin,
  { query, operationName }: GraphqlRequest
): Promise<Parsed> {
  if (query instanceof GraphQLError) throw query
  const valid = Promise.withResolvers<DocumentNode>()
  const ready = Promise.withResolvers<{ variables: object }>()
  const context: ParsingContext = {
    onValid(document) {
      valid.resolve(document)
      return ready.promise
    }
  }
  // Without variables, because Mercurius' errors would quote them.
  const executing = graphql(query, context, undefined, operationName ?? undefined)
  executing.catch(valid.reject)
  return {
    document: await valid.promise,
    execute(given, variables) {
      Object.assign(context, given)
      ready.resolve({ variables })
      return executing
    }
  }
}
