import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode
} from 'graphql'
import mercurius from 'mercurius'
import { locate } from '../files/locate.ts'
import type { Caller, Context } from '../graphql/context.ts'
import { requestCost } from '../graphql/cost.ts'
import { DocumentValue } from '../graphql/document-value.ts'
import { checkOperationSize, keptDocuments, maxValidationErrors } from '../graphql/limits.ts'
import type { Operation } from '../graphql/operation.ts'
import { Mutation } from '../graphql/resolvers/mutation.ts'
import { ProductTemplate } from '../graphql/resolvers/product-template.ts'
import { Query } from '../graphql/resolvers/query.ts'
import { ProductRevision } from '../graphql/resolvers/revisions.ts'
import {
  findRefusalErrors,
  type ReportInternal,
  type Result,
  toExecutedResult,
  toRefusedResult
} from '../graphql/result.ts'
import { checkVariablesSize, coerceVariables } from '../graphql/variables.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Executes a request. Lists that are already written are not in the result but in `operation.lists`. */
    productGraphql: (
      request: GraphqlRequest,
      operation: Operation,
      caller: Caller,
      hooks: Hooks
    ) => Promise<Result>
  }
}

/** A request of GraphQL over HTTP. */
export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** Callbacks of the route. */
export interface Hooks {
  report: ReportInternal
  /** Called before the operation runs. Rejects with the error to refuse the request with. */
  admit: (type: OperationTypeNode, name: string | undefined) => Promise<void>
}

const schema = readFileSync(locate('graphql/schema.graphql'), 'utf8')

/** Mercurius without its routes, which use other media types, run mutations on HEAD and accept JSON as a document. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    await app.register(mercurius, mercuriusOptions(settings))
    const limit = {
      depth: settings.graphqlMaxDepth,
      aliases: settings.graphqlMaxAliases,
      directives: settings.graphqlMaxDirectives
    }
    app.graphql.addHook('preValidation', async (_schema, document) => checkOperationSize(document, limit))
    app.graphql.addHook('preExecution', async (inUse, document, context) => {
      const admission = context as unknown as Admission
      await admit(inUse, document, admission)
      admission.isAdmitted = true
      return { variables: admission.variables }
    })

    app.decorate('productGraphql', async (request, operation, caller, { admit, report }) => {
      const { query, variables, operationName } = request
      const problem = findSourceProblem(query, settings.graphqlMaxSourceLength)
      if (problem) return toRefusedResult([new GraphQLError(problem)])
      const admission: Admission = {
        db: operation.db,
        store: operation.store,
        operation,
        caller,
        rules: settings,
        maxImported: settings.importMaxTemplates,
        operationName,
        variables: variables ?? {},
        admit,
        isAdmitted: false
      }
      try {
        // Without variables, which Mercurius would check itself: its errors quote them. They follow in `preExecution`.
        const executing = app.graphql(query, admission as never, undefined, operationName ?? undefined)
        const result = await operation.race(executing)
        return toExecutedResult(result, report)
      } catch (error) {
        // The response has the reason.
        if (admission.isAdmitted && error === operation.signal.reason) return { data: null }
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
  resolvers: { Query, Mutation, ProductTemplate, ProductRevision, DocumentValue } as never,
  routes: false,
  // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
  jit: 0,
  cache: keptDocuments,
  // Errors stay unchanged; `toExecutedResult` masks the unexpected ones.
  errorFormatter: (execution: object) => ({ statusCode: 200, response: execution as never }),
  validationRules: graphqlIntrospection ? [] : [NoSchemaIntrospectionCustomRule],
  graphql: {
    parseOptions: { maxTokens: graphqlMaxTokens },
    // graphql 16.15 has hideSuggestions, but Mercurius' types do not yet.
    validateOptions: { maxErrors: maxValidationErrors, hideSuggestions: true } as object
  }
})

type Admission = Context & {
  operationName: GraphqlRequest['operationName']
  variables: Record<string, unknown>
  admit: Hooks['admit']
  /** Whether execution has begun. */
  isAdmitted: boolean
}

/** Checks before execution that the schema supports the type of operation, that the caller may run it, and its cost. */
async function admit(
  inUse: GraphQLSchema,
  document: DocumentNode,
  { operation, operationName, variables, admit }: Admission
): Promise<void> {
  const definition = getOperationAST(document, operationName)
  if (!definition) throw unresolvedOperation(operationName)
  await admit(definition.operation, definition.name?.value)
  if (!inUse.getRootType(definition.operation))
    throw new GraphQLError(`the service has no ${definition.operation}s`)
  if (definition.operation === OperationTypeNode.QUERY) checkVariablesSize(variables)
  await requestCost(inUse, document, definition, coerceVariables(inUse, definition, variables), operation)
}

/** Without the name, which may be long. */
function unresolvedOperation(operationName: GraphqlRequest['operationName']): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}

/** Checks the source before parsing: Mercurius accepts JSON as a parsed document and bypasses the limit on tokens. */
function findSourceProblem(query: string, maxLength: number): string | undefined {
  if (query.length > maxLength) return `the query has more than ${maxLength} characters`
  if (/^\s*(\{\s*["}]|["[\d-]|null\b|true\b|false\b)/.test(query)) return 'the query is JSON, not GraphQL'
  return undefined
}
