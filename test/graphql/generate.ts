/** Operations made from the schema itself: the same one for the same seed. */
import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType
} from 'graphql'

export const schema = buildSchema(
  readFileSync(new URL('../../graphql/schema.graphql', import.meta.url), 'utf8')
)
type Random = (below: number) => number

/** Small numbers, the same ones for the same seed. */
function numbers(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = <T>(random: Random, list: T[]): T => list[random(list.length)] as T

const texts = [
  '',
  'a',
  'Portugal',
  'MadeIn',
  '%',
  "'",
  '\\',
  '\0',
  '\ud800',
  '🍏',
  '2026-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  'x'.repeat(300),
  'ab '.repeat(300),
  Array.from({ length: 60 }, (_, index) => `w${index}`).join(' '),
  '-1'
]

/** A literal of a type, now and then of another one. */
function literal(random: Random, type: GraphQLInputType, depth: number): string {
  if (random(25) === 0)
    return pick(random, ['null', '7', '"x"', '[1]', '{a: 1}', 'ENUM', '1e400', '99999999999', '$none'])
  if (isNonNullType(type)) return literal(random, type.ofType, depth)
  if (isListType(type))
    return `[${Array.from({ length: random(40) ? random(3) : 120 }, () => literal(random, type.ofType, depth)).join(', ')}]`
  if (isEnumType(type)) return pick(random, [...type.getValues()]).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(() => random(4) === 0 && depth > 0)
    const given = fields.map(field => `${field.name}: ${literal(random, field.type, depth - 1)}`)
    return `{${given.join(', ')}}`
  }
  switch (type.name) {
    case 'Int':
      return String(random(2) ? random(200) - 20 : pick(random, [-(2 ** 31), 2 ** 31 - 1, 0]))
    case 'Boolean':
      return pick(random, ['true', 'false'])
    case 'DocumentValue':
      return pick(random, ['7', '"7"', 'true', '["a"]', '[]', 'null', JSON.stringify(pick(random, texts))])
    default:
      return JSON.stringify(pick(random, texts))
  }
}

function selection(random: Random, type: GraphQLNamedType, depth: number): string {
  if (!isObjectType(type)) return ''
  const fields = Object.values(type.getFields()).filter(
    field => random(3) !== 0 && (depth > 0 || !isObjectType(getNamedType(field.type)))
  )
  const parts = fields.map(field => {
    const given = field.args.filter(() => random(2) === 0)
    const list = given.map(({ name, type }) => `${name}: ${literal(random, type, 4)}`).join(', ')
    const alias = random(12) === 0 ? `a${random(3)}: ` : ''
    const name = random(60) === 0 ? 'unknown' : field.name
    const directive = random(15) === 0 ? ` @include(if: ${pick(random, ['true', 'false', '1'])})` : ''
    return `${alias}${name}${list && `(${list})`}${directive} ${selection(random, getNamedType(field.type), depth - 1)}`
  })
  return `{ ${parts.length > 0 ? parts.join(' ') : '__typename'} }`
}

/** An operation with any values; some are broken somewhere. */
export function anyOperation(seed: number): string {
  const random = numbers(seed)
  const text = `query Q ${selection(random, schema.getQueryType() as GraphQLNamedType, 4)}`
  if (random(4) !== 0) return text
  const at = random(text.length)
  return (
    text.slice(0, at) +
    pick(random, ['', '{', '}', '"', '...F', '#', '\0', '@', ' mutation ']) +
    text.slice(at + random(4))
  )
}
