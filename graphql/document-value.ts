import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'

/** A value of a document as it stands in the JSON. */
export const DocumentValue = new GraphQLScalarType({
  name: 'DocumentValue',
  // As in the schema: Mercurius takes the one for the other.
  description:
    'A value of a document as it stands in the JSON, numbers with the 53 bits that JavaScript has for them. As an input: a\n' +
    'text, an integer, a boolean, a list of texts.',
  serialize: value => value,
  parseValue: accepted,
  parseLiteral: node => accepted(literal(node))
})

function accepted(value: unknown): unknown {
  const good =
    ['string', 'boolean'].includes(typeof value) ||
    Number.isSafeInteger(value) ||
    (Array.isArray(value) && value.every(element => typeof element === 'string'))
  if (!good) throw new GraphQLError('a DocumentValue is a text, an integer, a boolean or a list of texts')
  return value
}

function literal(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.BOOLEAN) return node.value
  if (node.kind === Kind.INT) return Number(node.value)
  if (node.kind === Kind.LIST) return node.values.map(literal)
  return undefined
}
