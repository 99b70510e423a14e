/**
 * Refuses filters of mutations that would match all templates because a value is missing. Only `where: {}` means all.
 */
import { type GraphQLInputType, getNullableType, isInputObjectType, Kind, type ValueNode } from 'graphql'
import { type FilterInput, requireConditions } from '../../db/templates/filter/filter.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { badInput } from '../errors.ts'
import type { SelectedField, Values } from './demands.ts'
import { listVariables } from './values.ts'

/** Throws BAD_USER_INPUT if a part of a filter in the arguments of a field has no condition. */
export function checkConditions(
  { definition, fieldNodes, args }: Pick<SelectedField, 'args' | 'definition' | 'fieldNodes'>,
  variableValues: Values
): void {
  const nodes = fieldNodes[0]?.arguments ?? []
  const check = (type: GraphQLInputType, value: unknown, node: ValueNode | undefined, path: string) => {
    const object = getNullableType(type)
    if (!isInputObjectType(object)) return
    if (object.name === filterType) return checkFilter(value as FilterInput, node, path)
    for (const { name, type } of Object.values(object.getFields())) {
      const inner = (value as Values)[name]
      const innerNode = findValue(node?.kind === Kind.OBJECT ? node.fields : [], name)
      // An absent filter means all templates. A given filter was meant to select some.
      const isMissing = inner === null || (inner === undefined && innerNode !== undefined)
      if (isMissing && String(type) === filterType)
        throw badInput(`${path}.${name} must not be null; {} stands for all templates`)
      if (inner != null) check(type, inner, innerNode, `${path}.${name}`)
    }
  }
  const checkFilter = (where: FilterInput, node: ValueNode | undefined, path: string) => {
    const missing = node && listVariables(node).find(name => variableValues[name] === undefined)
    if (missing !== undefined) throw badInput(`${path} needs a value for $${missing}`)
    if (Object.keys(where).length > 0) requireConditions(where, path)
  }
  try {
    // If `where` is null, the mutation needs `ids`.
    for (const { name, type } of definition.args)
      if (args[name] != null) check(type, args[name], findValue(nodes, name), name)
  } catch (error) {
    throw error instanceof ArgumentError ? badInput(error.message, nodes) : error
  }
}

const filterType = 'ProductTemplateFilter'

const findValue = (
  nodes: readonly { name: { value: string }; value: ValueNode }[],
  name: string
): ValueNode | undefined => nodes.find(node => node.name.value === name)?.value
