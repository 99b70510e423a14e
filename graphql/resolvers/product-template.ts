import type { GraphQLResolveInfo } from 'graphql'
import type { ProductTemplate as Values } from '../../db/templates/table/columns.ts'
import { formatHash, hashOf } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { compileRead, type ReadValue, type Resolvers } from '../execution/compile.ts'
import { jsonPieces, writeField, writeShortField } from '../execution/json.ts'
import { costPerCharacter } from '../execution/reading.ts'
import { toNodeId } from '../node-id.ts'
import { revisions } from './revisions.ts'

/** Characters of a document that is written at once: the executor completes ten of them per turn, with their aliases. */
const maxLengthAtOnce = 2 ** 13

/** Keyed by the nodes of a selection, which are the same for each template of a page. */
const compiled = new WeakMap<object, ReadValue>()

/**
 * Documents are written as JSON, long ones one after another. The executor gets a short value instead.
 */
export const ProductContents = {
  data(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, reading } = context
    if (template.data !== null) return template.data
    return operation.evaluate(async () => {
      await writeField(operation, info, [JSON.stringify(await reading.documents.read(template))])
      return ''
    })
  },

  document(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, reading } = context
    const read = compiled.get(info.fieldNodes) ?? compileRead(context, info)
    compiled.set(info.fieldNodes, read)
    if (template.data !== null && template.data.length <= maxLengthAtOnce) {
      const document = reading.documents.parse(template.data)
      if (document) writeShortField(operation, info, JSON.stringify(read(document)))
      return null
    }
    return operation.evaluate(async () => {
      const document = reading.documents.parse(await reading.documents.read(template))
      if (document) await writeField(operation, info, jsonPieces(read(document)))
      return null
    })
  },

  hash(template: FoundTemplate, _arguments: unknown, { operation, reading }: Context) {
    const hash = (data: string) => {
      operation.spend(data.length * costPerCharacter)
      return formatHash(hashOf(data))
    }
    if (template.data !== null) return hash(template.data)
    return operation.evaluate(async () => hash(await reading.documents.read(template)))
  }
}

export const ProductTemplate = {
  ...ProductContents,
  nodeId: ({ id }: FoundTemplate) => toNodeId('ProductTemplate', id),
  revisions
}

/** The same for a template whose document has been read: the fields of a list that bypasses the executor. */
export const completeTemplate: Resolvers = {
  document: ({ data }: Values, _arguments: unknown, { reading }: Context) => reading.documents.parse(data)
}
