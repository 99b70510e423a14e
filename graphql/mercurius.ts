/** Everything that depends on Mercurius, which parses, validates and executes documents, and caches the valid ones. */
import type { FastifyInstance } from 'fastify'
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  typeFromAST
} from 'graphql'
import mercurius, { type MercuriusPlugin } from 'mercurius'
import type { ServiceSettings } from '../options/index.ts'
import { hasMoreCharacters } from '../runtime/characters.ts'
import { admit } from './admission/admit.ts'
import {
  checkOperationSize,
  countFields,
  FiniteNumbers,
  LimitedIntrospection
} from './admission/document-limits.ts'
import type { Api } from './api.ts'
import { type GraphqlRequestParameters, Operation } from './operation/operation.ts'

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
    // Errors stay unchanged; `maskErrors` masks the unexpected ones.
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
    if (!(context instanceof Operation)) throw validDocument
    const { definition, variables } = await admit(schema, document, context)
    // Mercurius executes a document that a hook returns without compiling it.
    return shouldCompile(schema, document, definition) ? { variables } : { variables, document }
  })
}

/** Parses, validates and executes the document of an operation. Throws or rejects if it is not valid. */
export function executeDocument(graphql: MercuriusPlugin, operation: Operation): Promise<ExecutionResult> {
  const { parameters, settings } = operation.input
  const source = checkSource(parameters.query, settings)
  // Mercurius gets no variables, because its errors would quote them.
  return graphql(addName(source, parameters), operation, undefined, parameters.operationName ?? undefined)
}

/**
 * Returns the text to execute, which ends with the name of the operation. Mercurius finds a compiled query by its text,
 * and would otherwise run the wrong one of two operations in a document.
 */
const addName = (source: string, { operationName }: GraphqlRequestParameters): string =>
  operationName != null && graphqlName.test(operationName) ? `${source} #${operationName}` : source

const graphqlName = /^[_A-Za-z][_0-9A-Za-z]{0,255}$/

/** Thrown for `validate`, which has no operation. */
const validDocument = new Error('the document is valid')

/** Parses and validates a document without executing it. Rejects if it is not valid. */
export async function validate(
  graphql: MercuriusPlugin,
  query: string,
  settings: ServiceSettings
): Promise<void> {
  await graphql(checkSource(query, settings)).catch(error => {
    if (error !== validDocument) throw error
  })
}

/** Returns a source. Throws GraphQLError if it is too long, or if Mercurius would accept it as a parsed document. */
function checkSource(
  source: string | GraphQLError,
  { graphqlMaxSourceLength: max }: ServiceSettings
): string {
  if (typeof source !== 'string') throw source
  if (hasMoreCharacters(source, max)) throw new GraphQLError(`the query has more than ${max} characters`)
  // JSON would bypass the limit on tokens.
  if (/^\s*(\{\s*["}]|["[\d-]|null\b|true\b|false\b)/.test(source))
    throw new GraphQLError('the query is JSON, not GraphQL')
  return source
}

/** Fields of an operation that is compiled. Each takes about 30 microseconds, in which nothing else runs. */
const maxCompiledFields = 300

const compiled = new WeakMap<OperationDefinitionNode, boolean>()

/** Whether graphql-jit compiles an operation when it comes again. It completes long lists faster than graphql-js. */
function shouldCompile(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode
): boolean {
  const result = compiled.get(definition) ?? canBeCompiled(schema, document, definition)
  compiled.set(definition, result)
  return result
}

function canBeCompiled(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode
): boolean {
  const { operation, variableDefinitions = [] } = definition
  const text = document.loc?.source.body ?? ''
  return (
    operation === OperationTypeNode.QUERY &&
    countFields(document, definition) <= maxCompiledFields &&
    // Introspection is rare. graphql-jit ignores some directives, and loses fields whose alias is __proto__.
    !/@|__(schema|type|proto__)\b/.test(text) &&
    // The code for an input that contains itself, such as a filter, would be endless.
    variableDefinitions.every(({ type }) => isLeafType(getNamedType(typeFromAST(schema, type as never))))
  )
}
