import type { GraphQLResolveInfo } from 'graphql'
import type { ProductDocument } from '../../db/templates/table/document.ts'
import { formatHash, hashOf } from '../../db/templates/table/document-hash.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { costPerCharacter } from '../execution/documents.ts'
import { isLong, writeField } from '../execution/json.ts'
import { compileWriter, type Writer } from '../execution/writer.ts'
import { revisions } from './revisions.ts'

/** By the nodes of a selection, which are the same for each template of a page. */
const writers = new WeakMap<object, Writer>()

/** A long document is read when it is its turn, and written as JSON: the executor gets something short instead. */
export const ProductTemplate = {
  data(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, written } = context
    if (written || template.data !== null) return template.data
    return operation.inTurn(async () => {
      const json = JSON.stringify(await operation.documents.read(template))
      await writeField(operation, info).addPieces([json])
      return ''
    })
  },

  document(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, written } = context
    const { data } = template
    if (written) return operation.documents.parse(data as string)
    if (data !== null && !isLong(data)) {
      const document = operation.documents.parse(data)
      if (document !== null) writeShort(document, context, info)
      return null
    }
    return operation.inTurn(async () => {
      const document = operation.documents.parse(data ?? (await operation.documents.read(template)))
      const pieces = document && writerOf(info, context).writePieces(document)
      if (pieces) await writeField(operation, info).addPieces(pieces)
      return null
    })
  },

  hash(template: FoundTemplate, _arguments: unknown, { operation }: Context) {
    const { data } = template
    const hash = (text: string) => {
      operation.spend(text.length * costPerCharacter)
      return formatHash(hashOf(text))
    }
    if (data !== null) return hash(data)
    return operation.inTurn(async () => hash(await operation.documents.read(template)))
  },

  revisions
}

function writeShort(document: ProductDocument, context: Context, info: GraphQLResolveInfo): void {
  const json = writeField(context.operation, info)
  json.add(writerOf(info, context).write(document))
  json.end()
}

function writerOf(info: GraphQLResolveInfo, context: Context): Writer {
  const known = writers.get(info.fieldNodes)
  if (known) return known
  const writer = compileWriter(context, info)
  writers.set(info.fieldNodes, writer)
  return writer
}
