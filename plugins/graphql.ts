import { readFileSync } from 'node:fs'
import fp from 'fastify-plugin'
import {
  type DocumentNode,
  type FloatValueNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type IntValueNode,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  specifiedRules,
  type ValidationRule,
  validate
} from 'graphql'
import mercurius from 'mercurius'
import { locate } from '../files/locate.ts'
import { prepareExecution } from '../graphql/admission.ts'
import type { ExecutionContext } from '../graphql/context.ts'
import { readDocuments, type TrustedDocuments } from '../graphql/documents.ts'
import { resolvers } from '../graphql/resolvers/index.ts'
import { createSubgraphResolvers, subgraphTypes } from '../graphql/subgraph.ts'
import type { ServiceSettings } from '../options.ts'

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
        ...(subgraph && { ...subgraph, Query: { ...resolvers.Query, ...subgraph.Query } })
      } as never,
      routes: false,
      // JIT caches compiled queries by their text only, and may run the wrong one of two operations.
      jit: 0,
      cache: maxDocuments,
      // Errors stay unchanged; `executeRequest` masks the unexpected ones.
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
    app.graphql.addHook<ExecutionContext>('preExecution', prepareExecution)
    const rules = [...specifiedRules, ...validationRules]
    // Checks a document as Mercurius and the hooks check what is sent.
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

/** The size of an operation; a fragment counts each time it is spread. */
interface OperationSize {
  /** Levels of fields. */
  depth: number
  aliases: number
  directives: number
}

type Node = OperationDefinitionNode | FragmentDefinitionNode | SelectionNode

/** Characters of an alias. In the response, each item of a list repeats it. */
const maxAliasLength = 256

/** Throws GraphQLError for a source that is too long, or that Mercurius would accept as a parsed document in JSON. */
function checkSource(source: string, maxLength: number): void {
  if (source.length > maxLength) throw new GraphQLError(`the query has more than ${maxLength} characters`)
  // JSON would bypass the limit on tokens.
  if (/^\s*(\{\s*["}]|["[\d-]|null\b|true\b|false\b)/.test(source))
    throw new GraphQLError('the query is JSON, not GraphQL')
}

/**
 * Throws GraphQLError if an operation is larger than `limit`. Runs before validation, to limit the cost of validation,
 * so the document may be invalid.
 */
function checkOperationSize(document: DocumentNode, limit: OperationSize): void {
  const measure = createMeasure(document)
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue
    const { depth, aliases, directives } = measure(node)
    if (depth > limit.depth) throw tooLarge(`is deeper than ${limit.depth} levels`, node)
    if (aliases > limit.aliases) throw tooLarge(`has more than ${limit.aliases} aliases`, node)
    if (directives > limit.directives) throw tooLarge(`has more than ${limit.directives} directives`, node)
  }
}

/** Refuses a literal such as 1e999, which graphql-js reads as infinity. In variables, graphql-js refuses it. */
const FiniteNumbers: ValidationRule = context => {
  const check = (node: FloatValueNode | IntValueNode) => {
    if (!Number.isFinite(Number(node.value)))
      context.reportError(new GraphQLError('the number is too large', { nodes: node }))
  }
  return { FloatValue: check, IntValue: check }
}

const tooLarge = (what: string, nodes: OperationDefinitionNode) =>
  new GraphQLError(`the operation ${what}`, { nodes })

const noSize: OperationSize = { depth: 0, aliases: 0, directives: 0 }

/**
 * Measures each fragment once. Otherwise a chain of fragments that each spread the next one twice would take
 * exponential time.
 */
function createMeasure({ definitions }: DocumentNode): (node: Node) => OperationSize {
  const fragments = new Map(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
  const measured = new Map<string, OperationSize>()
  const measureFragment = (name: string): OperationSize => {
    const known = measured.get(name)
    if (known) return known
    // Stops at a fragment that spreads itself; validation refuses it later.
    measured.set(name, noSize)
    const node = fragments.get(name)
    const size = node ? measureNode(node) : noSize
    measured.set(name, size)
    return size
  }
  const measureNode = (node: Node): OperationSize => {
    if ('alias' in node && (node.alias?.value.length ?? 0) > maxAliasLength)
      throw new GraphQLError(`an alias has more than ${maxAliasLength} characters`)
    const inner =
      node.kind === Kind.FRAGMENT_SPREAD
        ? [measureFragment(node.name.value)]
        : (node.selectionSet?.selections.map(measureNode) ?? [])
    const inside = inner.reduce(combineSizes, noSize)
    return {
      depth: inside.depth + (node.kind === Kind.FIELD ? 1 : 0),
      aliases: inside.aliases + ('alias' in node && node.alias ? 1 : 0),
      directives: inside.directives + countDirectives(node)
    }
  }
  return measureNode
}

const combineSizes = (one: OperationSize, other: OperationSize): OperationSize => ({
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  directives: one.directives + other.directives
})

function countDirectives(node: Node): number {
  const variables = 'variableDefinitions' in node ? (node.variableDefinitions ?? []) : []
  return [node, ...variables].reduce((count, { directives: own }) => count + (own?.length ?? 0), 0)
}
