import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import { NoSchemaIntrospectionCustomRule } from 'graphql'
import mercurius from 'mercurius'
import { locate } from '../files/locate.ts'
import { admitOperation } from '../graphql/admission.ts'
import type { ExecutionContext } from '../graphql/execute.ts'
import { DocumentValue } from '../graphql/input/document-input.ts'
import {
  checkOperationSize,
  checkSource,
  FiniteNumbers,
  maxDocuments,
  maxValidationErrors
} from '../graphql/limits.ts'
import { resolvers } from '../graphql/resolvers/index.ts'
import type { ServiceSettings } from '../options.ts'

/** Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    await app.register(mercurius, {
      schema: readFileSync(locate('graphql/schema.graphql'), 'utf8'),
      resolvers: { ...resolvers, DocumentValue } as never,
      routes: false,
      // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
      jit: 0,
      cache: maxDocuments,
      // Errors stay unchanged; `toExecutedResult` masks the unexpected ones.
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
    const limit = {
      depth: settings.graphqlMaxDepth,
      aliases: settings.graphqlMaxAliases,
      directives: settings.graphqlMaxDirectives
    }
    app.graphql.addHook('preParsing', async (_schema, source) =>
      checkSource(source, settings.graphqlMaxSourceLength)
    )
    app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, limit))
    app.graphql.addHook<ExecutionContext>('preExecution', admitOperation)
  },
  { name: 'product-graphql', fastify: '5.x' }
)
