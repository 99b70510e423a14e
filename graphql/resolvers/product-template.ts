import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql'
import type { ProductDocument } from '../../db/templates/document.ts'
import type { ProductTemplate as Template } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { compileWriter, type ObjectWriter } from '../writer.ts'
import { addText, isLong } from '../written.ts'

/** By the nodes of a selection, which are the same for each template of a page. */
const writers = new WeakMap<object, ObjectWriter>()

export const ProductTemplate = {
  /** A document can be large: it is written as JSON, and the executor gets null instead. */
  document({ data }: Template, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, written } = context
    if (written) return operation.parse(data)
    if (isLong(data)) return operation.inTurn(async () => writeLong(operation.parse(data), context, info))
    const document = operation.parse(data)
    if (document === null) return null
    const json = addText(operation, info)
    json.add(writerOf(info, context).write(document))
    json.end()
    return null
  }
}

async function writeLong(document: ProductDocument | null, context: Context, info: GraphQLResolveInfo) {
  if (document !== null)
    await addText(context.operation, info).addPieces(writerOf(info, context).writePieces(document))
  return null
}

function writerOf(info: GraphQLResolveInfo, context: Context): ObjectWriter {
  const known = writers.get(info.fieldNodes)
  if (known) return known
  const type = getNamedType(info.returnType) as GraphQLObjectType
  const writer = compileWriter(type, info.fieldNodes, context, info)
  writers.set(info.fieldNodes, writer)
  return writer
}
