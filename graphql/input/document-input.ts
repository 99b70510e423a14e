import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { present } from '../../db/templates/filter/input.ts'
import type { WriteProblem } from '../../db/templates/revisions/apply.ts'
import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { makeProblem } from '../../db/templates/validation/problem.ts'

/** A document in typed fields, as received. null counts as absent. */
interface DocumentInput {
  productId?: unknown
  description?: string | null
  externalUrl?: string | null
  image?: string | null
  name?: string | null
  component?: string | null
  attributes?: { traitType: string; value?: unknown }[] | null
}

type Nullable<T> = { [Name in keyof T]?: T[Name] | null }

/** Values of a template, as received. */
export type ValuesInput = Nullable<TemplateValues> & { document?: DocumentInput | null }

/** Converts the values of an input object. null counts as absent. A new template needs `data` or `document`. */
export function toValues(
  { document, ...given }: ValuesInput,
  purpose: 'new' | 'change' = 'new'
): { values: Partial<TemplateValues>; problems?: WriteProblem[] } {
  const values = present(given) as Partial<TemplateValues>
  if (document && values.data !== undefined)
    return {
      values,
      problems: [makeProblem('AMBIGUOUS', 'data and document cannot be combined', 'document')]
    }
  if (document) return { values: { ...values, data: toData(document) } }
  if (purpose === 'new' && values.data === undefined)
    return { values, problems: [makeProblem('REQUIRED', 'either data or document is required', 'data')] }
  return { values }
}

/** Writes `data` from typed fields. The keys have the names and the order of the contract. */
function toData({ attributes, externalUrl: external_url, ...input }: DocumentInput): string {
  const { productId, description, image, name, component } = input
  const traits = (attributes ?? []).map(({ traitType: trait_type, value }) => present({ trait_type, value }))
  return JSON.stringify(
    present({ productId, description, external_url, image, name, component, attributes: traits })
  )
}

/** A JSON value of a document. */
export const DocumentValue = new GraphQLScalarType({
  name: 'DocumentValue',
  // The same text as in schema.graphql, because Mercurius replaces the scalar of the schema with this one.
  description:
    'A JSON value of a document. Numbers have the precision of JavaScript, 53 bits. As an input: a string, an integer, a\n' +
    'boolean or a list of strings.',
  serialize: value => value,
  parseValue: parseInput,
  parseLiteral: node => parseInput(readLiteral(node))
})

function parseInput(value: unknown): unknown {
  const valid =
    ['string', 'boolean'].includes(typeof value) ||
    Number.isSafeInteger(value) ||
    (Array.isArray(value) && value.every(element => typeof element === 'string'))
  if (!valid)
    throw new GraphQLError('a DocumentValue is a string, an integer, a boolean or a list of strings')
  return value
}

function readLiteral(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.BOOLEAN) return node.value
  if (node.kind === Kind.INT) return Number(node.value)
  if (node.kind === Kind.LIST) return node.values.map(readLiteral)
  return undefined
}
