// biome-ignore lint/suspicious/noExplicitAny: nodes of a parsed document, Appendix B of the specification
type Node = any

const all = (nodes: readonly Node[] = [], separator = ' '): string => nodes.map(print).join(separator)
const wrap = (before: string, text: string, after: string): string => (text ? before + text + after : '')

/** Prints each kind of node. */
const printers: Record<string, (node: Node) => string> = {
  Document: node => all(node.definitions, '\n'),
  OperationDefinition: node =>
    `${node.operation} ${node.name?.value ?? ''}${wrap('(', all(node.variableDefinitions), ')')}${rest(node)}`,
  FragmentDefinition: node => `fragment ${node.name.value} on ${print(node.typeCondition)}${rest(node)}`,
  VariableDefinition: node =>
    `${print(node.variable)}:${print(node.type)}${node.defaultValue ? `=${print(node.defaultValue)}` : ''}${rest(node)}`,
  Field: node =>
    `${node.alias ? `${node.alias.value}:` : ''}${node.name.value}${wrap('(', all(node.arguments), ')')}${rest(node)}`,
  FragmentSpread: node => `...${node.name.value}${rest(node)}`,
  InlineFragment: node => `...${node.typeCondition ? `on ${print(node.typeCondition)}` : ''}${rest(node)}`,
  Directive: node => `@${node.name.value}${wrap('(', all(node.arguments), ')')}`,
  SelectionSet: node => `{${all(node.selections)}}`,
  Argument: node => `${node.name.value}:${print(node.value)}`,
  ObjectField: node => `${node.name.value}:${print(node.value)}`,
  ObjectValue: node => `{${all(node.fields)}}`,
  ListValue: node => `[${all(node.values)}]`,
  Variable: node => `$${node.name.value}`,
  StringValue: node => JSON.stringify(node.value),
  NullValue: () => 'null',
  NamedType: node => node.name.value,
  ListType: node => `[${print(node.type)}]`,
  NonNullType: node => `${print(node.type)}!`
}

/** Prints the directives and the selection of a node. */
const rest = (node: Node): string =>
  `${wrap(' ', all(node.directives), '')}${node.selectionSet ? print(node.selectionSet) : ''}`

/** Numbers, booleans and enum values are printed as they are. */
const print = (node: Node): string => printers[node.kind]?.(node) ?? String(node.value)

/** Prints a parsed document without insignificant white space. */
export const printDocument = (document: Node): string => print(document)
