import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'

/** A JSON value of a document. */
export const DocumentValue = new GraphQLScalarType({
  name: 'DocumentValue',
  // The text is that of schema.graphql, because Mercurius replaces the scalar of the schema with this one.
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
