import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationTypeNode
} from 'graphql'
import mercurius from 'mercurius'
import type { Context } from '../graphql/context.ts'
import { requestCost } from '../graphql/cost.ts'
import { DocumentValue } from '../graphql/document-value.ts'
import { checkOperationSize, keptDocuments, maxValidationErrors } from '../graphql/limits.ts'
import type { Operation } from '../graphql/operation.ts'
import { ProductTemplate } from '../graphql/resolvers/product-template.ts'
import { Query } from '../graphql/resolvers/query.ts'
import {
  findRefusalErrors,
  type ReportInternal,
  type Result,
  toExecutedResult,
  toRefusedResult
} from '../graphql/result.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Executes a request. The lists that are missing from the result are those of the operation. */
    productGraphql: (request: GraphqlRequest, operation: Operation, caller: Caller) => Promise<Result>
  }
}

/** A request of GraphQL over HTTP. */
export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** Who brings a request. */
export interface Caller {
  report: ReportInternal
  /** Called before the operation runs; rejects with what the request is then refused with. */
  admit: (type: OperationTypeNode) => Promise<void>
}

const schema = readFileSync(new URL('../graphql/schema.graphql', import.meta.url), 'utf8')

/** Mercurius without its routes: they would answer other media types, run a mutation on HEAD, and parse JSON as a document. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    await app.register(mercurius, mercuriusOptions(settings))
    const limit = {
      depth: settings.graphqlMaxDepth,
      aliases: settings.graphqlMaxAliases,
      directives: settings.graphqlMaxDirectives
    }
    app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, limit))
    app.graphql.addHook('preExecution', async (inUse, document, context, variables) => {
      await admit(inUse, document, context as unknown as Admission, variables)
    })

    app.decorate('productGraphql', async (request, operation, { admit, report }) => {
      const { query, variables, operationName } = request
      const problem = sourceProblem(query, settings.graphqlMaxSourceLength)
      if (problem) return toRefusedResult([new GraphQLError(problem)])
      try {
        const admission: Admission = { db: operation.db, operation, operationName, admit }
        const result = await app.graphql(
          query,
          admission as never,
          variables ?? {},
          operationName ?? undefined
        )
        return toExecutedResult(result, report)
      } catch (error) {
        const errors = findRefusalErrors(error)
        if (!errors) throw error
        return toRefusedResult(errors)
      }
    })
  },
  { name: 'product-graphql', fastify: '5.x' }
)

const mercuriusOptions = ({ graphqlMaxTokens, graphqlIntrospection }: ServiceSettings) => ({
  schema,
  resolvers: { Query, ProductTemplate, DocumentValue } as never,
  routes: false,
  // Compiled queries are kept by their text alone: of two operations in it the wrong one may run.
  jit: 0,
  cache: keptDocuments,
  // Errors stay as they are, for `toExecutedResult` to mask the unexpected ones.
  errorFormatter: (execution: object) => ({ statusCode: 200, response: execution as never }),
  validationRules: graphqlIntrospection ? [] : [NoSchemaIntrospectionCustomRule],
  graphql: {
    parseOptions: { maxTokens: graphqlMaxTokens },
    // graphql 16.15 knows hideSuggestions, Mercurius' types do not yet.
    validateOptions: { maxErrors: maxValidationErrors, hideSuggestions: true } as object
  }
})

type Admission = Context & {
  operationName: GraphqlRequest['operationName']
  admit: Caller['admit']
}

/** Of the operation that is about to run: whether the schema has its kind, its caller may run it, and what it costs. */
async function admit(
  inUse: GraphQLSchema,
  document: DocumentNode,
  { operation, operationName, admit }: Admission,
  variables: Record<string, unknown>
): Promise<void> {
  const definition = getOperationAST(document, operationName)
  if (!definition) throw new GraphQLError('Must provide an operation.')
  await admit(definition.operation)
  if (!inUse.getRootType(definition.operation))
    throw new GraphQLError(`the service has no ${definition.operation}s`)
  await requestCost(inUse, document, definition, variables, operation)
}

/** Before anything is parsed. Mercurius would take a JSON text for a parsed document, and so pass by the limit on tokens. */
function sourceProblem(query: string, maxLength: number): string | undefined {
  if (query.length > maxLength) return `the query has more than ${maxLength} characters`
  if (/^\s*(\{\s*["}]|["[\d-]|null\b|true\b|false\b)/.test(query)) return 'the query is JSON, not GraphQL'
  return undefined
}
