/** Everything that depends on Mercurius, which parses, validates and executes documents, and caches the valid ones. */
import type { FastifyInstance } from 'fastify'
import { NoSchemaIntrospectionCustomRule } from 'graphql'
import mercurius, { type MercuriusPlugin } from 'mercurius'
import type { ServiceSettings } from '../options/index.ts'
import { admit } from './admission/admit.ts'
import {
  checkOperationSize,
  checkSource,
  FiniteNumbers,
  LimitedIntrospection
} from './admission/document-limits.ts'
import type { Api } from './api.ts'
import { shouldCompile } from './compiled.ts'
import { Operation } from './operation/operation.ts'

/** Validation stops after this many errors. */
const maxValidationErrors = 5
/** Parsed documents in the cache. Mercurius also caches their sources, and as many invalid documents. */
const maxDocuments = 64

/**
 * Adds Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document.
 */
export async function addMercurius(
  app: FastifyInstance,
  { schema, resolvers }: Api,
  settings: ServiceSettings
): Promise<void> {
  await app.register(mercurius, {
    schema,
    resolvers: resolvers as never,
    routes: false,
    // A query is compiled when it comes for the second time.
    jit: 1,
    cache: maxDocuments,
    // Errors stay unchanged; `maskErrors` (graphql/errors.ts) masks the unexpected ones.
    errorFormatter: (execution: object) => ({ statusCode: 200, response: execution as never }),
    validationRules: [
      FiniteNumbers,
      LimitedIntrospection,
      ...(settings.graphqlIntrospection ? [] : [NoSchemaIntrospectionCustomRule])
    ],
    graphql: {
      parseOptions: { maxTokens: settings.graphqlMaxTokens },
      // A suggestion tells names of the schema. graphql 16.15 has hideSuggestions, but Mercurius' types do not yet.
      validateOptions: {
        maxErrors: maxValidationErrors,
        hideSuggestions: !settings.graphqlIntrospection
      } as object
    }
  })
  app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, settings))
  app.graphql.addHook('preExecution', async (schema, document, context) => {
    if (!(context instanceof Operation)) throw isValid
    const { definition, variables } = await admit(schema, document, context)
    // Mercurius executes a document that a hook returns without compiling it.
    return shouldCompile(schema, document, definition) ? { variables } : { variables, document }
  })
}

/** Thrown for `validate`, which has no operation. */
const isValid = new Error('the document is valid')

/** Parses and validates a document without executing it. Rejects if it is not valid. */
export async function validate(
  graphql: MercuriusPlugin,
  query: string,
  settings: ServiceSettings
): Promise<void> {
  checkSource(query, settings)
  await graphql(query).catch(error => {
    if (error !== isValid) throw error
  })
}
